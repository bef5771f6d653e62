import { submitApplication } from '@windlass/contracts/platform/applications.ts'
import { expect, type Founder, type Step, type Story } from './story.ts'

async function apply(story: Story, founder: Founder, details: object = {}): Promise<void> {
  const application = await story.visitor.call(submitApplication, {
    body: {
      companyProfile: { name: founder.company, businessEmail: founder.email },
      stellarConfig: {},
      paymentRails: {},
      compliance: {},
      ...details,
    },
  })
  expect(application.status === 'applied', `the status is ${application.status}, not applied`)
  founder.applicationId = application.id
}

/** The default asset code of the first founder, derived from the subdomain. */
export const assetOf = ({ subdomain }: Founder) =>
  subdomain
    .replace(/[^a-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 12)

export const applyForTheFirst: Step = {
  title: 'A founder applies',
  run: async story => {
    await apply(story, story.first)
    return `POST /applications with the smallest body → applied, ${story.first.applicationId}`
  },
}

export const applyForOthers: Step = {
  title: 'Two more founders apply',
  run: async story => {
    await apply(story, story.second, {
      stellarConfig: { assetCode: assetOf(story.first) },
      paymentRails: {
        rails: ['UPI', 'SEPA'],
        fee: { fixed: '2', percentage: '0.01' },
        settlement: 'under_60_minutes',
      },
      compliance: { regions: ['IN', 'DE'] },
    })
    await apply(story, story.refused)
    return `${story.second.company} (same asset code, higher fee, slower), ${story.refused.company}`
  },
}
