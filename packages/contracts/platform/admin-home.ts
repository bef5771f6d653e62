import Type from 'typebox'
import { Page, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { AnchorStatus } from './administrators.ts'
import { Notification } from './notifications.ts'
import { Job, JobStatus } from './provisioning.ts'

const Alert = Type.Object({
  ...Notification.properties,
  /** Null: it is about the platform. */
  anchor: Type.Union([Type.Object({ id: Type.String(), subdomain: Type.String() }), Type.Null()]),
})

export const getAdminHome = endpoint('GET /api/v1/admin/home', {
  realm: 'admin',
  role: 'viewer',
  summary: 'What needs action: applications, jobs and alerts, and the fleet by status',
  response: {
    200: Type.Object({
      applications: Type.Object({
        waiting: Type.Integer(),
        /** When the one that waits longest was sent. */
        oldest: Type.Union([Time, Type.Null()]),
      }),
      jobs: Type.Object({ failed: Type.Integer(), stalled: Type.Integer(), running: Type.Integer() }),
      anchors: Type.Array(Type.Object({ status: AnchorStatus, count: Type.Integer() })),
      /** Open conditions, the newest first. */
      alerts: Type.Array(Alert, { maxItems: 50 }),
    }),
  },
})

/** A provisioning job with the anchor that it raises. */
export const ListedJob = Type.Object({
  ...Job.properties,
  anchorId: Type.String(),
  subdomain: Type.String(),
  organizationName: Type.String(),
})

export const listJobs = endpoint('GET /api/v1/admin/jobs', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Provisioning jobs, newest first',
  query: Type.Object({
    status: Type.Optional(JobStatus),
    /** Only jobs that have not reported for 30 s. */
    stalled: Type.Optional(Type.Boolean()),
    ...Page,
  }),
  response: {
    200: Type.Array(ListedJob),
  },
})
