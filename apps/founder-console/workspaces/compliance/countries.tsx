import { formatCountry, formatList } from '@windlass/ui/formats.ts'
import { failedAs } from '@windlass/ui/console/errors.ts'
import type { CountryRulesHistory } from '@windlass/contracts/anchor/country-rules.ts'
import {
  getWorkspaceCountryRules,
  setWorkspaceCountryRules,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { useQuery } from '@tanstack/react-query'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { FormPanel } from '@windlass/ui/form-panel.tsx'
import { type FormErrors, useForm } from '@windlass/ui/form.tsx'
import { Fact, Facts } from '@windlass/ui/page.tsx'
import { refresh } from '../../queries.ts'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { texts } from './country-texts.ts'
import { type ChangeProps, VersionedRules } from './versioned-rules.tsx'
import { WeakeningField, weakeningOf } from './weakening.tsx'

type Current = CountryRulesHistory['history'][number]

const namesOf = (codes: readonly string[]): string => formatList(codes.map(formatCountry)) || texts.none

/** Which countries are not served, and which are looked at. */
export function Countries() {
  const { id: anchorId } = useWorkspace()
  return (
    <VersionedRules<Current>
      texts={texts}
      found={useQuery(operator.query(getWorkspaceCountryRules, { params: { anchorId } }))}
      refresh={() => void refresh(getWorkspaceCountryRules)}
      show={({ rules }) => (
        <>
          <Facts>
            <Fact name={texts.prohibited}>{namesOf(rules.prohibited)}</Fact>
            <Fact name={texts.highRisk}>{namesOf(rules.highRisk)}</Fact>
          </Facts>
          <p className="text-14 text-soft">{rules.asksResidence ? texts.asks : texts.asksNot}</p>
        </>
      )}
      form={ChangeForm}
    />
  )
}

const codesOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(code => code !== ''),
  ),
]
const areCodes = (text: string): boolean => codesOf(text).every(code => /^[A-Z]{2}$/.test(code))

function ChangeForm({ current: { rules, version }, onDone, onClose }: ChangeProps<Current>) {
  const { id: anchorId } = useWorkspace()
  const { form: words } = texts
  const form = useForm({
    initial: {
      prohibited: rules.prohibited.join(' '),
      highRisk: rules.highRisk.join(' '),
      asks: rules.asksResidence ? ['asks'] : ([] as string[]),
      reason: '',
    },
    check: ({ prohibited, highRisk }): FormErrors => ({
      ...(!areCodes(prohibited) && { prohibited: words.invalid }),
      ...(!areCodes(highRisk) && { highRisk: words.invalid }),
    }),
    send: async ({ prohibited, highRisk, asks, reason }) => {
      const wanted = {
        prohibited: codesOf(prohibited),
        highRisk: codesOf(highRisk),
        asksResidence: asks.length > 0,
      }
      await operator.call(setWorkspaceCountryRules, {
        params: { anchorId },
        body: { rules: wanted, version, ...weakeningOf(reason) },
      })
      onDone()
    },
    explain: failedAs(words.failed),
  })
  return (
    <FormPanel title={words.title} form={form} send={words.send} onClose={onClose}>
      <TextField name="prohibited" label={texts.prohibited} hint={words.hint} autoComplete="off" optional />
      <TextField name="highRisk" label={texts.highRisk} hint={words.hint} autoComplete="off" optional />
      <ChoicesField
        name="asks"
        label={words.asks}
        choices={[{ value: 'asks', label: texts.asks }]}
        optional
      />
      <WeakeningField />
    </FormPanel>
  )
}
