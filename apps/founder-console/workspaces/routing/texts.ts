import { catalogue } from '@windlass/ui/catalogue.ts'

export const routing = catalogue('routing', {
  title: 'Routing decisions',
  lead: 'Recent routing decisions that considered your anchor: your score against the winner’s, or the rule that excluded it.',
  columns: { at: 'Time', request: 'Request', outcome: 'Outcome', score: 'Score', why: 'Reason' },
  request: (amount: string, asset: string, rail: string, country: string | undefined) =>
    `${amount} ${asset} over ${rail}${country ? `, ${country}` : ''}`,
  outcomes: { chosen: 'Chosen', outscored: 'Outscored', rejected: 'Excluded' },
  score: (own: string, winning: string) => (own === winning ? own : `${own} of ${winning}`),
  why: (detail: string, rank: number | undefined) =>
    rank === undefined || rank === 1 ? detail : `${detail}; ranked ${rank}`,
  empty: {
    title: 'No routing decisions yet',
    detail: 'When a wallet asks for a route and your anchor is considered, the outcome appears here.',
  },
  missed: {
    title: 'Missed routes',
    lead: 'Routes for your assets that no anchor could serve, and what your anchor lacked.',
    lacking: 'What was lacking',
    empty: {
      title: 'No missed routes',
      detail:
        'When a wallet asks for one of your assets and no anchor can serve it, the request appears here.',
    },
  },
})
