import { systemClock, type Clock } from '@windlass/service/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createAnswers, type Answers } from './answers.ts'
import { Budget } from './budget.ts'
import type { Config } from './config.ts'
import { followLedger, type LedgerState } from './ledger-state.ts'

export interface Deps {
  config: Config
  logger: FastifyBaseLogger
  clock: Clock
  budget: Budget
  ledger: LedgerState
  answers: Answers
}

export function createDeps(config: Config, logger: FastifyBaseLogger, given: Partial<Deps> = {}): Deps {
  const { horizonUrl } = config
  const clock = given.clock ?? systemClock
  const budget = given.budget ?? new Budget(clock)
  const ledger = given.ledger ?? followLedger(horizonUrl, budget, clock, logger)
  const answers = given.answers ?? createAnswers({ horizonUrl, budget, ledger, clock, logger })
  return { config, logger, clock, budget, ledger, answers }
}
