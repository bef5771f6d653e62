import { stageNames, type Job, type Stage } from '@windlass/contracts/platform/provisioning.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()

/** A job for the tests: `done` stages completed, the next one in `status`. */
export function jobAt(done: number, status: Job['status'], extra: Partial<Job> = {}): Job {
  const stages = stageNames.map((name, index): Stage => {
    const stand = index < done ? 'completed' : index > done || status === 'pending' ? 'pending' : status
    return {
      name,
      status: stand,
      startedAt: stand === 'pending' ? null : at(index * 3),
      finishedAt: stand === 'completed' || stand === 'failed' ? at(index * 3 + 1.4) : null,
      attempts: stand === 'pending' ? 0 : 1,
    }
  })
  const stage = stageNames[Math.min(done, stageNames.length - 1)] ?? 'completed'
  return {
    jobId: 'Zk3vQm8sT1uYx5aBc7dEfG',
    status,
    stage,
    result: { stage, ...known(done) },
    stages,
    attempts: 1,
    createdAt: at(0),
    updatedAt: at(done * 3 + 1),
    ...extra,
  }
}

function known(done: number) {
  if (done < 1) return { homeDomain: 'harbour.anchors.localhost' }
  return {
    homeDomain: 'harbour.anchors.localhost',
    assetCode: 'HARBOUR',
    issuer: 'GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB',
    distribution: 'GDT5ZKZ2E5FBGCG3XJMWQ4XNTOQHXKV27XVSJQ5CBLDBTYN2VFXXZIZX',
    signingKey: 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW',
  }
}

export const completedJob = (): Job => {
  const job = jobAt(stageNames.length, 'completed')
  job.result.urls = {
    discovery: 'http://harbour.anchors.localhost/.well-known/stellar.toml',
    webAuth: 'http://harbour.anchors.localhost/auth',
    issuer: 'http://localhost:8000/accounts/GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB',
  }
  return job
}

export const failedJob = (): Job => {
  const detail = 'The faucet at localhost:8000 does not answer, so the accounts could not be funded.'
  const job = jobAt(1, 'failed', {
    error: { stage: stageNames[1], code: 'faucet-unreachable', detail, retryable: true },
  })
  job.stages[1]!.error = { code: 'faucet-unreachable', detail, retryable: true }
  return job
}
