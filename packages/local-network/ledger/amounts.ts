/** Stroops as the decimal with seven digits that Horizon writes. */
export function amountText(stroops: bigint): string {
  const digits = (stroops < 0n ? -stroops : stroops).toString().padStart(8, '0')
  return `${stroops < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

/** A price as the decimal with seven digits that Horizon writes, rounded to the nearest. */
export function priceText(n: number | bigint, d: number | bigint): string {
  const [over, under] = [BigInt(n), BigInt(d)]
  return under === 0n ? '0.0000000' : amountText((over * 20_000_000n + under) / (2n * under))
}
