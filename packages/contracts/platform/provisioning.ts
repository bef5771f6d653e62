import Type, { type Static } from 'typebox'
import { Count, Id, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { NEEDS_JOB_ID } from '../limits.ts'

/** The stages in their order, as founders see them. */
export const stageNames = [
  'Generating Stellar keys',
  'Funding accounts & issuing asset on Stellar',
  'Generating configuration files',
  'Setting up databases',
  'Spawning containers',
  'Waiting for stack to be healthy',
  'completed',
] as const
export type StageName = (typeof stageNames)[number]
export const StageName = Type.Enum([...stageNames])

export const JobStatus = Type.Enum(['pending', 'running', 'failed', 'completed'])
export type JobStatus = Static<typeof JobStatus>

/** Why a stage failed, as a sentence for the founder; `code` is stable, `retryable` says whether a retry can help. */
export const StageError = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  retryable: Type.Boolean(),
})
export type StageError = Static<typeof StageError>

/** The error of the stage at which a job failed. */
export const JobError = Type.Object({ stage: StageName, ...StageError.properties })

export const Stage = Type.Object({
  name: StageName,
  status: Type.Enum(['pending', 'running', 'failed', 'completed']),
  startedAt: Type.Union([Time, Type.Null()]),
  finishedAt: Type.Union([Time, Type.Null()]),
  attempts: Type.Integer(),
  error: Type.Optional(StageError),
})
export type Stage = Static<typeof Stage>

export const JobResult = Type.Object({
  stage: StageName,
  homeDomain: Type.Optional(Type.String()),
  assetCode: Type.Optional(Type.String()),
  issuer: Type.Optional(Type.String()),
  distribution: Type.Optional(Type.String()),
  signingKey: Type.Optional(Type.String()),
  urls: Type.Optional(Type.Record(Type.String(), Type.String())),
})
export type JobResult = Static<typeof JobResult>

/** A provisioning job as anyone who holds its id may see it: no secret, no internal text. */
export const Job = Type.Object({
  jobId: Type.String(),
  status: JobStatus,
  stage: StageName,
  result: JobResult,
  stages: Type.Array(Stage),
  attempts: Type.Integer(),
  error: Type.Optional(JobError),
  /** Running, but without a report for 30 s: a retry is accepted. */
  stalled: Type.Optional(Type.Boolean()),
  createdAt: Time,
  updatedAt: Time,
})
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ jobId: Id })

export const getJobStatus = endpoint('GET /api/v1/anchor-invitations/status/:jobId', {
  realm: 'public',
  limit: NEEDS_JOB_ID,
  summary: 'The progress of provisioning',
  params: JobParams,
  response: { 200: Job },
  problems: ['job-not-found'],
})

/** Each event's data is the job as `GET …/status/:jobId` answers it; its id is what `Last-Event-ID` takes. */
export const streamJobStatus = endpoint('GET /api/v1/anchor-invitations/status/:jobId/events', {
  realm: 'public',
  limit: NEEDS_JOB_ID,
  summary: 'The same as server-sent events, until the job is completed',
  params: JobParams,
  response: { 200: Job },
  problems: ['job-not-found', 'too-many-requests'],
  events: true,
})

export const retryJob = endpoint('POST /api/v1/anchor-invitations/status/:jobId/retry', {
  realm: 'public',
  limit: 'client',
  summary: 'Runs a failed or stalled job again from its current stage',
  params: JobParams,
  response: { 202: Type.Object({ jobId: Type.String(), status: JobStatus, attempts: Type.Integer() }) },
  problems: ['job-not-found', 'job-not-retryable', 'too-many-requests'],
})

/** One line of a run's log, written for the founder. */
export const LogLine = Type.Object({
  id: Type.Integer(),
  at: Time,
  stage: Type.String(),
  level: Type.Enum(['info', 'warn', 'error']),
  text: Type.String(),
})
export type LogLine = Static<typeof LogLine>

export const readJobLog = endpoint('GET /api/v1/anchor-invitations/status/:jobId/log', {
  realm: 'public',
  limit: NEEDS_JOB_ID,
  summary: "A run's log, oldest first, at most 500 lines after a line's id",
  params: JobParams,
  query: Type.Object({ after: Type.Optional(Count) }),
  response: { 200: Type.Array(LogLine, { maxItems: 500 }) },
  problems: ['job-not-found', 'dependency-unavailable'],
})
