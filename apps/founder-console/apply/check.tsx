import { isRailProvider, railProviders } from '@windlass/contracts/platform/rail-credentials.ts'
import { fieldErrorsOf, describeError } from '@windlass/ui/console/errors.ts'
import { amountError, typedOf } from '@windlass/ui/amount-value.ts'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { formatAmount, formatCountry, formatCurrency, formatList } from '@windlass/ui/formats.ts'
import { FormShell, useForm } from '@windlass/ui/form.tsx'
import { Fact, Facts, PageHeading, Panel } from '@windlass/ui/page.tsx'
import { Link, useNavigate } from 'react-router'
import { call } from '../api.ts'
import { type ApplyStep, applySteps, paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { check as checkTexts } from './check-texts.ts'
import { apply as texts } from './texts.ts'
import {
  applicationOf,
  errorsIn,
  fieldsOf,
  isCredential,
  isProviderField,
  labelOf,
  stepOf,
  unitOf,
  type Answers,
} from './answers.ts'
import { useApplication } from './frame.tsx'
import { deleteDraft } from './draft.ts'

export function Component() {
  const { answers } = useApplication()
  const navigate = useNavigate()
  const form = useForm<Answers>({
    initial: answers,
    check: errorsIn,
    send: async values => {
      const body = applicationOf(values)
      // With its schemas, which no page needs before.
      const { submitApplication } = await import('@windlass/contracts/platform/applications.ts')
      const { id, warnings } = await call(submitApplication, { body })
      deleteDraft(id)
      await navigate(paths.submitted(id), {
        replace: true,
        state: { email: values['companyProfile.businessEmail'], warnings },
      })
    },
    explain: error => {
      const errors = fieldErrorsOf(error)
      const failure = describeError(error)
      if (Object.keys(errors).length > 0) return { errors: labelled(errors) }
      return {
        failure: {
          ...failure,
          title: checkTexts.submitFailed,
          detail: `${failure.title}. ${failure.detail}`,
        },
      }
    },
  })
  const follow = (name: string) => {
    const step = stepOf(name)
    if (step) void navigate(paths.apply(step), { state: { focus: name, errors: form.errors } })
  }
  return (
    <>
      <p className="mb-1 text-13 text-soft tabular">{texts.stepOf(applySteps.length, applySteps.length)}</p>
      <PageHeading
        title={texts.steps.check.title}
        documentTitle={texts.documentTitle(texts.steps.check.title)}
        product={shell.product}
        lead={texts.steps.check.lead}
        className="mb-6"
      />
      <FormShell form={form} onFollow={follow}>
        {applySteps.map(step => step !== 'check' && <Section key={step} step={step} answers={answers} />)}
        <p className="max-w-[62ch] text-14 text-soft">{checkTexts.declaration}</p>
        <div className="flex flex-wrap gap-3 border-t border-line pt-6">
          <Button type="submit" look="primary" pending={form.pending}>
            {checkTexts.send}
          </Button>
          <Link to={paths.apply('compliance')} className={buttonLook('quiet')}>
            {texts.back}
          </Link>
        </div>
      </FormShell>
    </>
  )
}

function Section({ step, answers }: { step: Exclude<ApplyStep, 'check'>; answers: Answers }) {
  const { title } = texts.steps[step]
  return (
    <Panel>
      <div className="flex items-center justify-between gap-4 border-b border-line px-4 py-2.5 sm:px-5">
        <h2 className="font-semibold">{title}</h2>
        <Link to={paths.apply(step)} className="link text-14" aria-label={checkTexts.changeWhat(title)}>
          {checkTexts.change}
        </Link>
      </div>
      <Facts className="px-4 sm:px-5">
        {fieldsOf(step, answers).map(name => (
          <Fact key={name} name={labelOf(name)}>
            {displayedAnswer(name, answers) ?? (
              <span className="text-soft">
                {hasDefault(name) ? checkTexts.byDefault : checkTexts.notGiven}
              </span>
            )}
          </Fact>
        ))}
      </Facts>
    </Panel>
  )
}

/** What is left empty there has a value of the platform's. */
const hasDefault = (name: string): boolean =>
  /^(stellarConfig\.asset(Code|Name)|paymentRails\.(fee|limits)\..+)$/.test(name)

/** An answer in words; undefined where none was given. Credentials are never displayed. */
function displayedAnswer(name: keyof Answers, answers: Answers): string | undefined {
  const answer = answers[name]
  if (answer === undefined) return undefined
  if (typeof answer !== 'string') {
    if (answer.length === 0) return undefined
    return formatList(name === 'compliance.regions' ? answer.map(formatCountry) : answer)
  }
  if (answer.trim() === '') return undefined
  if (isProviderField(name) && isRailProvider(answer)) return railProviders[answer].label
  if (name === 'asset.kind') return texts.assetKinds[answer === 'existing' ? 'existing' : 'own'].label
  if (isCredential(name)) return checkTexts.credentialsKept
  if (name === 'companyProfile.country' || name === 'compliance.jurisdiction') return formatCountry(answer)
  if (/^stellarConfig\.(assets\.\d\.)?anchoredTo$/.test(name)) return `${answer} – ${formatCurrency(answer)}`
  if (name === 'paymentRails.fee.percentage') return `${amountText(answer)} %`
  if (name === 'paymentRails.fee.fixed' || name.startsWith('paymentRails.limits.'))
    return `${amountText(answer)} ${unitOf(answers)}`
  if (name === 'paymentRails.settlement') {
    return answer === 'instant' ? texts.settlements.instant.label : texts.settlements.under_60_minutes.label
  }
  return name.startsWith('paymentRails.') ? amountText(answer) : answer
}

/** What was understood, or else what was typed. */
const amountText = (answer: string): string =>
  amountError(answer) === undefined ? formatAmount(answer) : typedOf(answer)

function labelled(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => [path, `${labelOf(path)}: ${message}`]),
  )
}
