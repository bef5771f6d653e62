const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

export const isHost = (text: string): boolean => NAME.test(text)

/** The host named by a Host header: lower case, without port and final dot; `null` where it is not one. */
export function hostOf(header: string | undefined): string | null {
  const match = /^([a-z0-9.-]{1,254}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.exec(header ?? '')
  const host = match?.[1]?.toLowerCase().replace(/\.$/, '') ?? ''
  return isHost(host) || host.startsWith('[') ? host : null
}
