import type { Principals } from '@windlass/contracts/realm.ts'
import {
  adminSecondFactors,
  operatorSecondFactors,
  type PasskeyCredential,
  type SecondFactorEndpoints,
} from '@windlass/contracts/platform/second-factors.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { completeSignIn, requireConfirmed } from '../sessions/sessions.ts'
import { confirmApp, deleteApp, isAppCode, startApp } from './authenticator-app.ts'
import { codesReplacedEmail, codeUsedEmail } from './emails.ts'
import {
  announce,
  createRecoveryCodes,
  hasSecondFactor,
  listSecondFactors,
  lockPerson,
  methodsOf,
  personOf,
  recordFactor,
  recoveryCodesLeft,
  removeSecondFactor,
  useRecoveryCode,
} from './factors.ts'
import { addPasskey, deletePasskey, isPasskey, passkeyChallenge, passkeyOptions } from './passkeys.ts'

type Caller = Principals['operator'] | Principals['admin']

const DAY_SECONDS = 86_400

/** An organization's provider may say that anyone is there: tries of such sessions do not use up the person's own. */
const providerOf = (caller: Caller): string | null =>
  'organizationId' in caller ? caller.organizationId : null

export function secondFactorRoutes(on: On, deps: Deps): void {
  const { pool } = deps.database
  const tries = createRate(pool, 'second-factor', 10 * deps.config.rateFactor, 300)
  const ofProvider = createRate(pool, 'second-factor-by-provider', 50 * deps.config.rateFactor, DAY_SECONDS)
  const demandTry = async (caller: Caller) => {
    const { realm, subject } = personOf(caller)
    const provider = providerOf(caller)
    const who = [realm, subject, ...(provider ? [provider] : [])].join(' ')
    await tries.demand(who)
    if (provider) await ofProvider.demand(who)
  }
  for (const endpoints of [operatorSecondFactors, adminSecondFactors]) {
    useRoutes(on, deps, endpoints, demandTry)
    changeRoutes(on, deps, endpoints, demandTry)
  }
}

function useRoutes(
  on: On,
  deps: Deps,
  endpoints: SecondFactorEndpoints,
  demandTry: (caller: Caller) => Promise<void>,
): void {
  const { db } = deps.database
  on(endpoints.list).serve(({ principal }) => listSecondFactors(deps, personOf(principal)))
  on(endpoints.challenge).serve(async ({ principal, request }) => {
    const person = personOf(principal)
    return {
      methods: await methodsOf(db, person),
      passkey: await passkeyChallenge(deps, person, principal.sessionId, request),
    }
  })
  on(endpoints.verify).serve(async ({ principal, body, request }) => {
    await demandTry(principal)
    await verify(deps, principal, body, request)
    return { ok: true, recoveryCodesLeft: await recoveryCodesLeft(db, personOf(principal)) }
  })
}

function changeRoutes(
  on: On,
  deps: Deps,
  endpoints: SecondFactorEndpoints,
  demandTry: (caller: Caller) => Promise<void>,
): void {
  const { db } = deps.database
  /** Whose second factors change; the person has proved again who they are. */
  const confirmed = async (principal: Caller) => {
    await requireConfirmed(db, principal.sessionId)
    return personOf(principal)
  }
  on(endpoints.passkeyOptions).serve(async ({ principal, request }) =>
    passkeyOptions(deps, await confirmed(principal), principal.sessionId, request),
  )
  on(endpoints.addPasskey).serve(async ({ principal, body, request }) =>
    addPasskey(deps, await confirmed(principal), principal.sessionId, body, request),
  )
  on(endpoints.removePasskey).serve(async ({ principal, params }) => {
    const person = await confirmed(principal)
    await removeSecondFactor(deps, person, tx => deletePasskey(tx, person, params.id))
    return { ok: true }
  })
  on(endpoints.startApp).serve(async ({ principal }) => startApp(deps, await confirmed(principal)))
  on(endpoints.confirmApp).serve(async ({ principal, body }) => {
    const person = await confirmed(principal)
    await demandTry(principal)
    return confirmApp(deps, person, principal.sessionId, body.code)
  })
  on(endpoints.removeApp).serve(async ({ principal }) => {
    const person = await confirmed(principal)
    await removeSecondFactor(deps, person, tx => deleteApp(tx, person))
    return { ok: true }
  })
  on(endpoints.replaceRecoveryCodes).serve(async ({ principal }) => {
    const person = await confirmed(principal)
    return db.transaction().execute(async tx => {
      await lockPerson(tx, person)
      if (!(await hasSecondFactor(tx, person))) {
        const detail = 'You have no second factor. Add a passkey or an authenticator app first.'
        throw new Problem('second-factor-not-found', detail)
      }
      const recoveryCodes = await createRecoveryCodes(tx, person)
      await announce(deps, tx, person, codesReplacedEmail({}))
      await recordFactor(deps, tx, person, 'second-factor.codes-replaced')
      return { recoveryCodes }
    })
  })
}

interface Proof {
  passkey?: PasskeyCredential
  code?: string
  recoveryCode?: string
}

/** Completes the session's sign-in, or confirms it again. Throws `second-factor-refused`, the same for every reason. */
async function verify(deps: Deps, caller: Caller, proof: Proof, request: FastifyRequest): Promise<void> {
  const { passkey, code, recoveryCode } = proof
  const person = personOf(caller)
  const { db } = deps.database
  if ([passkey, code, recoveryCode].filter(given => given !== undefined).length !== 1) {
    throw invalid('passkey', 'or code or recoveryCode is required, and only one of them')
  }
  if (recoveryCode !== undefined) return verifyRecoveryCode(deps, caller, recoveryCode, request)
  const right =
    passkey !== undefined
      ? await isPasskey(deps, person, caller.sessionId, passkey, request)
      : await isAppCode(deps, person, code ?? '', { isCounted: providerOf(caller) === null })
  if (!right) throw refused(request, person.realm)
  await completeSignIn(db, caller.sessionId)
}

async function verifyRecoveryCode(
  deps: Deps,
  caller: Caller,
  code: string,
  request: FastifyRequest,
): Promise<void> {
  const person = personOf(caller)
  const right = await deps.database.db.transaction().execute(async tx => {
    // In the order of every change of a person's factors: a reset under way removes the code first.
    await lockPerson(tx, person)
    if (!(await useRecoveryCode(tx, person, code))) return false
    await completeSignIn(tx, caller.sessionId)
    const left = await recoveryCodesLeft(tx, person)
    await announce(deps, tx, person, codeUsedEmail({ left }))
    await recordFactor(deps, tx, person, 'second-factor.recovered', { left })
    return true
  })
  if (!right) throw refused(request, person.realm)
}

function refused(request: FastifyRequest, realm: string): Problem {
  request.log.warn({ address: request.clientAddress, realm }, 'a second factor was refused')
  return new Problem(
    'second-factor-refused',
    'The second factor is wrong, used or expired. Try again, or use another one.',
  )
}
