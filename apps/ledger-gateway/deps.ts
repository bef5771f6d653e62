import { steadyClock, systemClock, type Clock } from '@windlass/service/work/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createAnswers, type Answers } from './answers.ts'
import { Budget } from './budget.ts'
import type { Config } from './config.ts'
import { followLedger, type LedgerState } from './ledger-state.ts'
import { watchNetwork, type Network } from './network.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  /** The time of day, which is compared with that of ledgers. */
  clock: Clock
  /** How old answers are. */
  steady: Clock
  budget: Budget
  network: Network
  ledger: LedgerState
  answers: Answers
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const horizonUrl = config.horizon.url
  const clock = given.clock ?? systemClock
  const steady = given.steady ?? given.clock ?? steadyClock
  const budget = given.budget ?? new Budget(steady)
  const network = given.network ?? watchNetwork(config.horizon)
  const ledger = given.ledger ?? followLedger({ horizonUrl, network, budget, clock: steady, logger })
  const answers =
    given.answers ?? createAnswers({ horizonUrl, network, budget, ledger, clock: steady, logger })
  return { config, logger, clock, steady, budget, network, ledger, answers }
}
