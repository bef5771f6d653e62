import { catalogue } from '@windlass/ui/catalogue.ts'

export const shell = catalogue('shell', {
  product: 'Windlass admin',
  suffix: 'admin',
  home: 'Home',
  applications: 'Applications',
  jobs: 'Jobs',
  fleet: 'Fleet',
  routing: 'Route explainer',
  policy: 'Routing policy',
  emails: 'Emails',
  audit: 'Audit log',
  administrators: 'Administrators',
  account: 'Account',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  palette: {
    page: 'Page',
    application: 'Application',
    anchor: 'Anchor',
    job: 'Job',
    operator: 'Operator',
    customer: 'Customer',
  },
})
