import type { IConfiguration } from 'dependency-cruiser'

const CONSOLES = '^apps/(founder-console|admin-console|customer-portal)/'
const TESTS = '[.]test[.]tsx?$'

/** Who may import whom; held by `boundaries.ts`. */
export const importRules: Required<Pick<IConfiguration, 'forbidden' | 'options'>> = {
  forbidden: [
    {
      name: 'apps-stand-alone',
      comment: 'An app talks to another over its contracts, never by importing it.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'packages-know-no-apps',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|e2e|bench)/' },
    },
    {
      name: 'consoles-see-contracts-client-and-ui',
      comment:
        'What runs in a browser has no business with a service’s insides; its small server uses packages/service.',
      severity: 'error',
      from: {
        path: CONSOLES,
        pathNot: `${CONSOLES}(main|server|vite[.]config|[^/]*[.]test)[.]tsx?$|${TESTS}`,
      },
      to: { path: '^packages/', pathNot: '^packages/(contracts|client|ui|money)/' },
    },
    {
      name: 'ui-components-know-no-api',
      comment: 'What the consoles share beyond components, such as queries and sessions, is in ui/console.',
      severity: 'error',
      from: { path: '^packages/ui/', pathNot: '^packages/ui/(console|testing)/' },
      to: { path: '^packages/', pathNot: '^packages/ui/' },
    },
    {
      name: 'contracts-do-no-io',
      severity: 'error',
      from: { path: '^packages/contracts/', pathNot: TESTS },
      to: { pathNot: '^(packages/(contracts|money)|node_modules/typebox)/' },
    },
    {
      name: 'money-imports-nothing',
      severity: 'error',
      from: { path: '^packages/money/', pathNot: TESTS },
      to: { pathNot: '^packages/money/' },
    },
    {
      name: 'a-slice-keeps-its-queries-table-and-routes',
      comment: 'Call the other slice’s acts; app.ts alone knows all routes.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/([^/]+)/', pathNot: TESTS },
      to: { path: '^apps/$1/(?!$2/)[^/]+/(queries|table|routes)[.]ts$' },
    },
    {
      name: 'no-circles',
      comment:
        'Of what runs, lazy imports included. Circles of types alone are left out: types are stripped before anything is loaded, so two files may name each other’s shapes.',
      severity: 'error',
      from: { path: '^(apps|packages)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(apps|packages)/', pathNot: `${TESTS}|(^|/)(testing|test-[^/]*)(/|[.]tsx?$)` },
      to: { path: '^packages/testing/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|[.]windlass)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
