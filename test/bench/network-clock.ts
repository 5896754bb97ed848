/** Milliseconds of the kernel's monotonic clock: all processes of a machine read the same. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
