import { catalogue } from '@windlass/ui/catalogue.ts'

export const jobs = catalogue('jobs', {
  title: 'Provisioning jobs',
  lead: 'Every job, newest first. A job without progress for 30 seconds is stalled.',
  status: { pending: 'Pending', running: 'Running', failed: 'Failed', completed: 'Completed' },
  stalled: 'Stalled',
  columns: {
    anchor: 'Anchor',
    organization: 'Organization',
    stage: 'Stage',
    updated: 'Updated',
    status: 'Status',
  },
  stageOf: (position: number, all: number) => `${position}/${all}`,
  empty: {
    title: 'No jobs yet',
    detail: 'A job is created when a founder redeems an invitation.',
    filtered: 'No job has this status',
  },
  jobId: 'Job ID',
  code: 'Error code',
  retry: (position: number) => `Retry from stage ${position}`,
  failed: 'The job was not retried',
  stageFailed: (position: number, name: string) => `Stage ${position} failed: ${name}`,
  stalledTitle: 'No progress',
  stalledDetail: 'The worker may have stopped. Retry to continue from the current stage.',
})
