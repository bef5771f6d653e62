import { systemClock, type Clock } from '@windlass/service/work/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createAnswers, type Answers } from './answers.ts'
import { Budget } from './budget.ts'
import type { Config } from './config.ts'
import { followLedger, type LedgerState } from './ledger-state.ts'
import { watchNetwork, type Network } from './network.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  budget: Budget
  network: Network
  ledger: LedgerState
  answers: Answers
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const horizonUrl = config.horizon.url
  const clock = given.clock ?? systemClock
  const budget = given.budget ?? new Budget(clock)
  const network = given.network ?? watchNetwork(config.horizon)
  const ledger = given.ledger ?? followLedger({ horizonUrl, network, budget, clock, logger })
  const answers = given.answers ?? createAnswers({ horizonUrl, network, budget, ledger, clock, logger })
  return { config, logger, clock, budget, network, ledger, answers }
}
