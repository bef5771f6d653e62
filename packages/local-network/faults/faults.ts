import { Type, type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

const closed = { additionalProperties: false }
const count = (description: string) => Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description })
const seconds = (description: string) => Type.Number({ minimum: 0.01, maximum: 86_400, description })
const port = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 65_535, description: 'TCP port; 0 (the default) takes a free one.' }),
)

const Lag = Type.Object(
  {
    ledgers: Type.Optional(count('Ledgers it stays behind; without it, it ingests none at all.')),
    seconds: Type.Optional(seconds('Lags only for so long in each period …')),
    every: Type.Optional(seconds('… of this length, and catches up after it.')),
  },
  closed,
)

const Submissions = Type.Object(
  {
    answer: Type.Union([Type.Literal('none'), Type.Literal('504')], {
      description:
        '`none`: the connection closes without an answer once the transaction is in a ledger. ' +
        '`504`: a timeout is answered at once; the transaction is in the next ledger all the same.',
    }),
    count: Type.Optional(count('Only the next so many; without it, every one.')),
  },
  closed,
)

const RateLimit = Type.Object(
  {
    requests: count('Requests that one client address has in each period.'),
    seconds: seconds('Length of the period.'),
  },
  closed,
)

const Retention = Type.Object({ ledgers: count('How many of the newest ledgers its history holds.') }, closed)

const instanceFaults = {
  lag: Type.Optional(Lag),
  submissions: Type.Optional(Submissions),
  rateLimit: Type.Optional(RateLimit),
  retention: Type.Optional(Retention),
}

const Faults = Type.Object(
  {
    baseFee: Type.Optional(count('Stroops for each operation; 100 by default.')),
    surgeFee: Type.Optional(count('Stroops an operation must bid and pays while ledgers are full.')),
    frozen: Type.Optional(
      Type.Array(Type.String({ pattern: '^G[A-Z2-7]{55}( [A-Za-z0-9]{1,12}:G[A-Z2-7]{55})?$' }), {
        maxItems: 1_000,
        description: 'Accounts (`G…`) and trustlines (`G… CODE:ISSUER`) that the validators have frozen.',
      }),
    ),
    instances: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }),
        Type.Object({ port, ...instanceFaults }, closed),
        {
          description: 'Horizon instances on ports of their own; `main` is the one at the network’s address.',
          ...closed,
        },
      ),
    ),
    balancer: Type.Optional(
      Type.Object(
        {
          port,
          instances: Type.Optional(
            Type.Array(Type.String(), { minItems: 1, description: 'Their names; all of them by default.' }),
          ),
        },
        { ...closed, description: 'One address that gives each request to the next instance.' },
      ),
    ),
  },
  closed,
)

/** What goes wrong on the network, all of it: what is not named works. */
export type Faults = Static<typeof Faults>
/** What goes wrong at one Horizon instance. */
export type InstanceFaults = Omit<NonNullable<Faults['instances']>[string], 'port'>

/** Faults that are not in this form. */
export class UnusableFaults extends Error {}

const compiled = Compile(Faults as TSchema)

/**
 * Checks faults that came as JSON.
 * @throws UnusableFaults naming the field
 */
export function readFaults(given: unknown): Faults {
  const [error] = compiled.Errors(given)
  if (error) throw new UnusableFaults(`faults${error.instancePath.replaceAll('/', '.')} ${error.message}`)
  const faults = given as Faults
  for (const [name, { port, lag }] of Object.entries(faults.instances ?? {})) {
    const at = `faults.instances.${name}`
    if (name === 'main' && port !== undefined)
      throw new UnusableFaults(`${at}.port cannot be set: the network's own port is main's`)
    if ((lag?.seconds === undefined) !== (lag?.every === undefined))
      throw new UnusableFaults(`${at}.lag needs both seconds and every, or neither`)
    if (lag?.seconds !== undefined && lag.every !== undefined && lag.seconds >= lag.every)
      throw new UnusableFaults(`${at}.lag.seconds must be less than every`)
  }
  for (const name of faults.balancer?.instances ?? [])
    if (name !== 'main' && !Object.hasOwn(faults.instances ?? {}, name))
      throw new UnusableFaults(`faults.balancer.instances names ${name}, which is no instance`)
  return faults
}
