/** Debian packages of a guest: a small real host with systemd, and what the faults and tests use. */
export const packages = [
  'systemd',
  'systemd-sysv',
  'udev',
  'dbus',
  'linux-image-cloud-amd64',
  // Fills the place of initramfs-tools, which would spend ten seconds on an initrd that we replace.
  'tiny-initramfs',
  'kmod',
  'procps',
  'iproute2',
  'iputils-ping',
  'nftables',
  'iptables',
  'conntrack',
  'docker.io',
  'containerd',
  'runc',
  'busybox-static',
  'libstdc++6',
  'qemu-guest-agent',
]

/** Folders of packages that no test reads. */
export const leftOut = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*']

/** Units that cost seconds of an emulated boot and give a test nothing. */
export const masked = [
  'getty@tty1.service',
  'serial-getty@ttyS0.service',
  'systemd-binfmt.service',
  'proc-sys-fs-binfmt_misc.automount',
  'systemd-update-utmp.service',
  'systemd-update-utmp-runlevel.service',
  'systemd-pcrphase.service',
  'systemd-pcrphase-sysinit.service',
  'modprobe@dm_mod.service',
  'modprobe@drm.service',
  'modprobe@efi_pstore.service',
  'modprobe@fuse.service',
  'modprobe@loop.service',
  'sys-fs-fuse-connections.mount',
  'dev-hugepages.mount',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'fstrim.timer',
  'systemd-tmpfiles-clean.timer',
]

/** Docker takes 15 s to start under emulation: a test that wants it starts it. */
export const disabled = [
  'docker.service',
  'docker.socket',
  'containerd.service',
  'e2scrub_reap.service',
]

/** The kernel modules that the initrd loads to see its disks; what they need comes with them. */
export const bootModules = ['virtio_pci', 'virtio_blk']

/** Where the checkout is in a guest. */
export const projectDir = '/opt/temblor'

const network = `#!/bin/sh
# eth0 leads to the machine that runs the tests (10.0.2.2).
set -eu
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2
`

const networkUnit = `[Unit]
Description=Addresses of this guest
DefaultDependencies=no
Requires=sys-subsystem-net-devices-eth0.device
After=sys-subsystem-net-devices-eth0.device
Before=network.target network-online.target
Wants=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/guest-network

[Install]
WantedBy=multi-user.target
`

const command = `#!/bin/sh
exec ${projectDir}/node_modules/.bin/node ${projectDir}/agent/cli/bin.js "$@"
`

const quiet = `[Service]
LogLevelMax=notice
`

/** Files of ours in the image: path, text, mode. */
export const files: readonly (readonly [path: string, text: string, mode: number])[] = [
  ['/etc/fstab', '', 0o644],
  // Empty: each guest makes its own at its first boot.
  ['/etc/machine-id', '', 0o444],
  ['/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n', 0o644],
  ['/etc/resolv.conf', 'nameserver 10.0.2.3\n', 0o644],
  // As npm install --global would have it.
  ['/usr/local/bin/temblor', command, 0o755],
  ['/usr/local/sbin/guest-network', network, 0o755],
  ['/etc/systemd/system/guest-network.service', networkUnit, 0o644],
  // It logs every question it is asked, ten a second.
  ['/etc/systemd/system/qemu-guest-agent.service.d/quiet.conf', quiet, 0o644],
]

/** Units of ours that start with the guest. */
export const enabled = ['guest-network.service']

/** The program that the kernel starts: finds the disks, mounts them and starts systemd. */
export function initScript(modules: readonly string[]): string {
  return `#!/bin/busybox sh
busybox=/bin/busybox
$busybox mount -t devtmpfs none /dev
for module in ${modules.join(' ')}; do $busybox insmod "/modules/$module.ko"; done
until [ -b /dev/vda ] && [ -b /dev/vdb ]; do $busybox usleep 10000; done
$busybox mount -t ext4 -o rw,noatime /dev/vda /root
$busybox mount -t ext4 -o ro /dev/vdb /root${projectDir}
$busybox umount /dev
exec $busybox switch_root /root /usr/lib/systemd/systemd
`
}
