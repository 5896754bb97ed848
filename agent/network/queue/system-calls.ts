import { closeSync } from 'node:fs'
import koffi from 'koffi'

// From <linux/netlink.h>, <sys/socket.h>, <poll.h> and <sys/prctl.h>; the same on x64 and arm64.
const familyNetlink = 16
const rawAndCloseOnExec = 3 | 0o2000000
const protocolNetfilter = 12
const levelSocket = 1
const receiveBufferForce = 33
const levelNetlink = 270
const noBufferErrors = 5
const doNotWait = 0x40
const setTimerSlack = 29
const pollIn = 1
/** Sizes of `struct mmsghdr` and `struct iovec` with 64-bit pointers. */
const messageHeaderBytes = 64
const vectorBytes = 16

const library = koffi.load(null)
const socket = library.func('int socket(int domain, int type, int protocol)')
const setOption = library.func(
  'int setsockopt(int fd, int level, int name, const int *value, uint32_t length)',
)
const sendBytes = library.func('intptr_t send(int fd, const void *bytes, size_t length, int flags)')
const receiveMany = library.func(
  'int recvmmsg(int fd, void *messages, unsigned int count, int flags, void *timeout)',
)
const ppoll = library.func('int ppoll(void *fds, size_t count, void *timeout, void *signals)')
const prctl = library.func(
  'int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)',
)

const { EAGAIN, EINTR } = koffi.os.errno

/** A system call failed. */
export class SystemCallError extends Error {
  /** The symbolic name of the error, as EPERM. */
  readonly code: string
  constructor(call: string, code: string) {
    super(`${call} failed: ${code}`)
    this.name = 'SystemCallError'
    this.code = code
  }
}

/** The symbolic name of an error number, as EPERM. */
export function errorName(errno: number): string {
  return (
    Object.entries(koffi.os.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`
  )
}

/** Timers of this thread fire on time from here on, instead of up to 50 µs late. */
export function sharpenTimers(): void {
  prctl(setTimerSlack, 1, 0, 0, 0)
}

/** A socket to netfilter whose messages are read many at a time into memory of its own. */
export interface NetlinkSocket {
  readonly fd: number
  /** @throws SystemCallError */
  send(bytes: Buffer): void
  /**
   * Reads what is there, and does not wait.
   * @returns how many messages now lie in `slots`; 0 when there are none
   * @throws SystemCallError
   */
  receive(): number
  /** Where the messages lie that were read; each slot is as long as a message could be. */
  readonly slots: readonly DataView[]
  close(): void
}

/**
 * Opens a socket of NETLINK_NETFILTER.
 * @param slotCount the most messages that one reading takes
 * @param bufferBytes what the kernel may keep for us while we do not read
 * @throws SystemCallError
 */
export function openNetlink(slotCount: number, bufferBytes: number): NetlinkSocket {
  const fd = socket(familyNetlink, rawAndCloseOnExec, protocolNetfilter) as number
  if (fd < 0) throw failure('socket')
  // Both only make losses rarer, so that refusals are no reason not to go on.
  setOption(fd, levelSocket, receiveBufferForce, [bufferBytes], 4)
  setOption(fd, levelNetlink, noBufferErrors, [1], 4)
  const { headers, slots } = layOut(slotCount)
  return {
    fd,
    slots,
    send(bytes) {
      if (sendBytes(fd, bytes, bytes.length, 0) < 0) throw failure('send')
    },
    receive() {
      const count = receiveMany(fd, headers, slotCount, doNotWait, null) as number
      if (count >= 0) return count
      const errno = koffi.errno()
      if (errno === EAGAIN || errno === EINTR) return 0
      throw failure('recvmmsg')
    },
    close() {
      closeSync(fd)
      koffi.free(headers)
    },
  }
}

/** Netlink messages about a packet without its contents, and answers, are shorter than this. */
const slotBytes = 1024

/** What recvmmsg fills, in memory that never moves. */
function layOut(slotCount: number): { headers: bigint; slots: DataView[] } {
  const vectorsAt = slotCount * messageHeaderBytes
  const slotsAt = vectorsAt + slotCount * vectorBytes
  const total = slotsAt + slotCount * slotBytes
  const headers = koffi.alloc('uint8_t', total) as bigint
  const memory = koffi.view(headers, total)
  new Uint8Array(memory).fill(0)
  const view = new DataView(memory)
  const slots: DataView[] = []
  for (let index = 0; index < slotCount; index++) {
    const header = index * messageHeaderBytes
    const vector = vectorsAt + index * vectorBytes
    const slot = slotsAt + index * slotBytes
    view.setBigUint64(header + 16, headers + BigInt(vector), true)
    view.setBigUint64(header + 24, 1n, true)
    view.setBigUint64(vector, headers + BigInt(slot), true)
    view.setBigUint64(vector + 8, BigInt(slotBytes), true)
    slots.push(new DataView(memory, slot, slotBytes))
  }
  return { headers, slots }
}

/** Waits for one of some files to be readable, as ppoll does. */
export interface Poller {
  /**
   * @param timeoutMs with fractions; the wait is as sharp as the kernel's timers
   * @throws SystemCallError
   */
  wait(timeoutMs: number): void
  /** Whether the file at this place of the list was readable, or broken, after the last wait. */
  isReady(index: number): boolean
}

/** A poller for these files; nothing is allocated for a wait. */
export function createPoller(fds: readonly number[]): Poller {
  const timeoutAt = fds.length * 8
  const address = koffi.alloc('uint8_t', timeoutAt + 16) as bigint
  const view = new DataView(koffi.view(address, timeoutAt + 16))
  const timeout = address + BigInt(timeoutAt)
  fds.forEach((fd, index) => {
    view.setInt32(index * 8, fd, true)
    view.setUint32(index * 8 + 4, pollIn, true)
  })
  view.setUint32(timeoutAt + 4, 0)
  view.setUint32(timeoutAt + 12, 0)
  return {
    wait(timeoutMs) {
      const seconds = Math.floor(timeoutMs / 1000)
      view.setUint32(timeoutAt, seconds, true)
      view.setUint32(timeoutAt + 8, Math.round((timeoutMs - seconds * 1000) * 1e6) % 1e9, true)
      if (ppoll(address, fds.length, timeout, null) >= 0) return
      if (koffi.errno() !== EINTR) throw failure('ppoll')
      fds.forEach((_, index) => view.setUint16(index * 8 + 6, 0))
    },
    isReady: (index) => view.getUint16(index * 8 + 6, true) !== 0,
  }
}

function failure(call: string): SystemCallError {
  return new SystemCallError(call, errorName(koffi.errno()))
}
