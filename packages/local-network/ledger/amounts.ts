/** Stroops as the decimal with seven digits that Horizon writes. */
export function amountText(stroops: bigint): string {
  const digits = (stroops < 0n ? -stroops : stroops).toString().padStart(8, '0')
  return `${stroops < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

/**
 * An amount with at most seven decimals in stroops.
 * @throws RangeError
 */
export function stroopsOf(amount: string): bigint {
  if (!/^\d{1,12}(\.\d{1,7})?$/.test(amount)) throw new RangeError(`'${amount}' is not an amount`)
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(7, '0'))
}

/** A price as the decimal with seven digits that Horizon writes, rounded to the nearest. */
export function priceText(n: number | bigint, d: number | bigint): string {
  const [over, under] = [BigInt(n), BigInt(d)]
  return under === 0n ? '0.0000000' : amountText((over * 20_000_000n + under) / (2n * under))
}
