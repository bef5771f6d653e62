import { readScopes } from '@windlass/contracts/access.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import { READER_HEADER } from '@windlass/service/http/platform-proof.ts'
import type { Client, Reply } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import type { AnswerOf, BodyOf, Endpoint, EndpointShape } from '@windlass/contracts/endpoint.ts'
import { isSigned, type RelayedEndpoint } from '@windlass/contracts/relayed.ts'
import type { Call } from '@windlass/service/http/endpoint-route.ts'
import { linkCursor } from '@windlass/service/http/pages.ts'
import { requestHash } from '@windlass/service/http/idempotency.ts'
import { createRate, type Rate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { TObject } from 'typebox'
import { requireMember } from '../anchors/access.ts'
import { notifiedAnchor, type AnchorRow } from '../anchors/anchors.ts'
import { remoteAct } from '../audit/remote-act.ts'
import type { Deps } from '../deps.ts'
import { passProblems } from '../infrastructure/services.ts'
import type { PlatformDb } from '../tables.ts'
import { keepWaiting } from '../waiting-acts/waiting.ts'
import { clientOfAnchor, fromAnchor, passFile } from './anchor-server.ts'

type Details = Record<string, unknown>

/** What the audit log says of an act: `asked` before it is done, by default the ids in the path, and with the outcome `found`. */
interface Audit<S extends EndpointShape, A extends EndpointShape, Prepared> {
  /** What the log says once it is done: `payout-file.created`. Before, no answer is known. */
  action: string | ((call: Call<S>, answer?: AnswerOf<A>) => string)
  asked?(call: Call<S>, prepared: Prepared): Details
  found?(answer: AnswerOf<A>, call: Call<S>, prepared: Prepared): Details
}

interface Options<S extends EndpointShape, A extends EndpointShape, Prepared> {
  /** For each anchor. */
  rate?: { name: string; limit: number; seconds: number }
  /** Milliseconds that the answer may take, where ten seconds are too few. */
  within?: number
  /** The name of a file where the anchor gives none. */
  fileName?(call: Call<S>): string
  /** What is looked at before: a throw refuses the act. */
  prepare?(deps: Deps, call: Call<S>, server: Client): Promise<Prepared>
  /** Whether it lets more money out than before: then another owner or admin has to approve it (ADR 0102). */
  needsSecond?(deps: Deps, call: Call<S>, prepared: Prepared): boolean | Promise<boolean>
  /** The body, where it is another one than the operator sent. */
  send?(body: BodyOf<S>): object
  /** Written here in the transaction of the outcome, once. */
  also?(
    deps: Deps,
    tx: PlatformDb,
    acted: { call: Call<S>; answer: AnswerOf<A>; anchor: AnchorRow; prepared: Prepared },
  ): Promise<void>
}

type Row<S extends EndpointShape, A extends EndpointShape, Prepared> = Options<S, A, Prepared> & {
  endpoint: RelayedEndpoint<S, A>
  /** Absent: it changes nothing, and nobody minds who reads it. */
  audit?: Audit<S, A, Prepared>
} & (AnswerOf<A> extends AnswerOf<S> ? { answer?: never } : { answer(answer: AnswerOf<A>): AnswerOf<S> })

/** A second person is needed whatever is asked. */
export const always = (): boolean => true

/** A row of the table of what founders do at their anchor. Who may do it, and how, the contract of `endpoint` says. */
export interface Relay {
  endpoint: RelayedEndpoint<EndpointShape, EndpointShape>
  audit?: { action: unknown }
  /** It reaches the anchor only once a second person approves it. */
  alwaysWaits: boolean
  serve(on: On, deps: Deps): void
  /** Does what waited for a second person. @param wanted who asked for it. */
  perform(deps: Deps, call: Call<EndpointShape>, wanted: string): Promise<unknown>
}

const by = ({ principal }: Call<EndpointShape>) => `operator:${(principal as { userId: string }).userId}`

/**
 * Passes what a founder does on to their anchor, in their name. The audit log has it before it is done, and its outcome
 * after it.
 */
export function relay<S extends EndpointShape, A extends EndpointShape, Prepared = undefined>(
  row: Row<S, A, Prepared>,
): Relay {
  const { endpoint } = row
  const serve = (on: On, deps: Deps): void => {
    const { rate } = row
    const limit =
      rate && createRate(deps.database.pool, rate.name, rate.limit * deps.config.rateFactor, rate.seconds)
    on<S>(endpoint).serve(call => pass(deps, row, call, { limit }))
  }
  const perform = (deps: Deps, call: Call<EndpointShape>, wanted: string) =>
    pass(deps, row, call as unknown as Call<S>, { wanted })
  const alwaysWaits = row.needsSecond === always
  return { endpoint: endpoint as never, audit: row.audit, alwaysWaits, serve, perform }
}

async function pass<S extends EndpointShape, A extends EndpointShape, Prepared>(
  deps: Deps,
  row: Row<S, A, Prepared>,
  call: Call<S>,
  { limit, wanted }: { limit?: Rate | undefined; wanted?: string },
): Promise<AnswerOf<S>> {
  const { at } = row.endpoint
  const { params, principal, request, reply } = call as unknown as OfAnchor
  const { anchor, role } = await requireMember(deps.database.db, principal.userId, params.anchorId)
  const server = at.realm === 'service' ? deps.controlPlane : clientOfAnchor(deps, anchor)
  const from = at.realm === 'service' ? fromControlPlane : fromAnchor
  const prepared = (await row.prepare?.(deps, call, server)) as Prepared
  await limit?.demand(anchor.id)
  if (row.needsSecond && wanted === undefined && (await row.needsSecond(deps, call, prepared)))
    throw await keepWaiting(deps, {
      ...{ anchor: notifiedAnchor(anchor), email: principal.email },
      ...wishOf(row, call, prepared),
    })
  const ask = (key?: string) => from(send(row, server, call, { key, role }))
  const { body, headers } = row.audit
    ? await recorded(deps, { row, call, anchor, prepared, ask, wanted })
    : await ask()
  if (at.file)
    return passFile(reply, body as Response, row.fileName?.(call) ?? 'file') as unknown as AnswerOf<S>
  const cursor = nextCursor(headers)
  if (cursor) linkCursor(request, reply, cursor)
  return (row.answer?.(body as never) ?? body) as AnswerOf<S>
}

function wishOf<S extends EndpointShape, A extends EndpointShape, P>(
  row: Row<S, A, P>,
  call: Call<S>,
  prepared: P,
) {
  const { method, path } = row.endpoint
  const { params, query, body } = call as unknown as { params: Details; query: Details; body?: Details }
  return {
    ...{ endpoint: `${method} ${path}`, by: by(call as never) },
    ...{ requestHash: requestHash(call.request), params, query, body: body ?? null },
    ...{ action: actionOf(row, call), details: askedOf(row, call, prepared) },
    closed: row.endpoint.area === 'compliance',
  }
}

type OfAnchor = Pick<Call<EndpointShape>, 'request' | 'reply'> & {
  params: { anchorId: string }
  principal: { userId: string; email: string }
}

const fromControlPlane = passProblems('The control plane')

async function send<S extends EndpointShape, A extends EndpointShape, P>(
  { endpoint: { at }, ...row }: Row<S, A, P>,
  server: Client,
  call: Call<S>,
  { key, role }: { key: string | undefined; role: MemberRole },
): Promise<Reply<AnswerOf<A>>> {
  const { params, query, body, raw } = call as Call<EndpointShape> as unknown as Record<string, object>
  const name = { by: by(call as Call<EndpointShape>) }
  const names = Object.keys((at.params as TObject | undefined)?.properties ?? {})
  const sent = (row.send?.(call.body) ?? body) as object | undefined
  const input = {
    params: Object.fromEntries(names.map(each => [each, (params as Details)[each]])),
    query: isSigned(at.query) ? { ...query, ...name } : query,
    body: at.raw ? raw : isSigned(at.body) ? { ...sent, ...name } : sent,
    headers: { [READER_HEADER]: readScopes(role).join(), ...(key && { 'idempotency-key': key }) },
    ...(row.within && { signal: AbortSignal.timeout(row.within) }),
  }
  if (!at.file) return server.send(at, input as never)
  const file = await server.open(at as Endpoint, input as never)
  return { status: file.status, headers: file.headers, body: file as AnswerOf<A> }
}

interface Recorded<S extends EndpointShape, A extends EndpointShape, P> {
  row: Row<S, A, P>
  call: Call<S>
  anchor: AnchorRow
  prepared: P
  wanted: string | undefined
  ask(key: string): Promise<Reply<AnswerOf<A>>>
}

function recorded<S extends EndpointShape, A extends EndpointShape, P>(
  deps: Deps,
  { row, call, anchor, prepared, ask, wanted }: Recorded<S, A, P>,
): Promise<Reply<AnswerOf<A>>> {
  const { found } = row.audit as Audit<S, A, P>
  return remoteAct<Reply<AnswerOf<A>>>(deps, row.endpoint, call.request, {
    actor: by(call as Call<EndpointShape>),
    subject: `anchor:${anchor.id}`,
    action: actionOf(row, call),
    asked: { ...askedOf(row, call, prepared), ...(wanted && { requestedBy: wanted }) },
    call: ask,
    found: ({ body }) => ({
      action: actionOf(row, call, body),
      details: found?.(body, call, prepared) ?? {},
    }),
    also: async (tx, { body: answer }) => row.also?.(deps, tx, { call, answer, anchor, prepared }),
    ...(row.endpoint.at.idempotent && {
      isReplay: ({ headers }: Reply<unknown>) => headers.get('idempotency-replayed') === 'true',
    }),
  })
}

function actionOf<S extends EndpointShape, A extends EndpointShape, P>(
  row: Row<S, A, P>,
  call: Call<S>,
  answer?: AnswerOf<A>,
): string {
  const { action } = row.audit as Audit<S, A, P>
  return typeof action === 'string' ? action : action(call, answer)
}

function askedOf<S extends EndpointShape, A extends EndpointShape, P>(
  row: Row<S, A, P>,
  call: Call<S>,
  prepared: P,
): Details {
  const { anchorId: _, ...ids } = call.params as unknown as Details
  return (row.audit as Audit<S, A, P>).asked?.(call, prepared) ?? ids
}

/** A statement has up to 200,000 lines, a sanctions list tens of thousands of names. */
export const READING_MS = 120_000
/** A long journal takes its time, and a slow reader too. */
export const DOWNLOAD_MS = 600_000

/** What needs nothing beyond its contract. */
export const read = (endpoint: Parameters<typeof relay>[0]['endpoint']): Relay => relay({ endpoint })
