/** Stroops as the decimal with seven digits that Horizon writes. */
export function amountText(stroops: bigint): string {
  const digits = (stroops < 0n ? -stroops : stroops).toString().padStart(8, '0')
  return `${stroops < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}
