import type { IConfiguration } from 'dependency-cruiser'

const CONSOLES = '^apps/(founder-console|admin-console|customer-portal)/'
const TESTS = '[.]test[.]tsx?$'
/** Tests, and the folders named `testing` with what helps them. */
export const TEST_HELP = `${TESTS}|(^|/)testing/`

/** Which modules may import which; checked by `boundaries.ts`. */
export const importRules: Required<Pick<IConfiguration, 'forbidden' | 'options'>> = {
  forbidden: [
    {
      name: 'apps-stand-alone',
      comment: 'An app calls another through contracts and never imports it.',
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
      comment: 'Browser code must not import service code; the console’s small server uses packages/service.',
      severity: 'error',
      from: {
        path: CONSOLES,
        pathNot: `${CONSOLES}(main|server|vite[.]config|[^/]*[.]test)[.]tsx?$|${TESTS}`,
      },
      to: { path: '^packages/', pathNot: '^packages/(contracts|client|ui|money)/' },
    },
    {
      name: 'ui-components-know-no-api',
      comment: 'What consoles share beyond components, such as queries and sessions, belongs in ui/console.',
      severity: 'error',
      from: { path: '^packages/ui/', pathNot: '^packages/ui/(console|testing)/' },
      to: { path: '^packages/', pathNot: '^packages/(ui|money)/' },
    },
    {
      name: 'contracts-do-no-io',
      severity: 'error',
      from: { path: '^packages/contracts/', pathNot: TESTS },
      to: { pathNot: '^(packages/(contracts|money)|node_modules/(typebox|ibantools))/' },
    },
    {
      name: 'money-imports-nothing',
      severity: 'error',
      from: { path: '^packages/money/', pathNot: TESTS },
      to: { pathNot: '^packages/money/' },
    },
    {
      name: 'no-circles',
      comment:
        'Circular imports at run time, lazy imports included. Type imports are stripped before loading and do not count.',
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
      from: { path: '^(apps|packages)/', pathNot: TEST_HELP },
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
