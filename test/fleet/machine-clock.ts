/** The monotonic clock that all processes of a machine share, in ms. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
