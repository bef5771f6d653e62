/** What to do about a request that had no answer: a sentence or two for developers. `host` may have a port. */
export function describeUnreachable(host: string, cause: unknown): string {
  if (!isUnknownName(cause)) return `${host} does not answer. Check the connection, then retry.`
  if (/\.localhost(:|$)/.test(host))
    return `Node does not find ${host} on this machine. Add "127.0.0.1 ${host.split(':')[0]}" to /etc/hosts.`
  return `There is no host ${host}, or its name cannot be looked up. Check its spelling and the connection.`
}

/** Why the network gave no answer. Node says so; browsers do not. */
export const networkCode = (failure: unknown): unknown =>
  ((failure as Error | undefined)?.cause as { code?: unknown } | undefined)?.code

const isUnknownName = (failure: unknown) => ['ENOTFOUND', 'EAI_AGAIN'].includes(String(networkCode(failure)))
