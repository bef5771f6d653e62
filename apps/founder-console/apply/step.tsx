import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { focusField } from '@windlass/ui/focus-field.ts'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { Icon } from '@windlass/ui/icons.tsx'
import { PageHeading } from '@windlass/ui/page.tsx'
import { useEffect } from 'react'
import { Link, type LoaderFunctionArgs, redirect, useLocation, useNavigate, useParams } from 'react-router'
import { type ApplyStep, applySteps, paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { apply as texts } from './texts.ts'
import { type Answers, fieldsOf, errorsIn } from './answers.ts'
import { AssetFields, CompanyFields, ComplianceFields, RailsFields } from './fields.tsx'
import { useApplication } from './frame.tsx'

type AskingStep = Exclude<ApplyStep, 'check'>

const fields = {
  company: CompanyFields,
  asset: AssetFields,
  rails: RailsFields,
  compliance: ComplianceFields,
}

export const loader = ({ params }: LoaderFunctionArgs) =>
  (params.step ?? 'company') in fields ? null : redirect(paths.apply('company'))

export function Component() {
  const step = (useParams().step ?? 'company') as AskingStep
  const { answers, keep } = useApplication()
  const navigate = useNavigate()
  const { state } = useLocation() as { state: { focus?: string; errors?: FormErrors } | null }
  const form = useForm<Answers>({
    initial: answers,
    check: values => only(step, values, errorsIn(values)),
    send: () => void navigate(paths.apply(applySteps[applySteps.indexOf(step) + 1])),
    onChange: keep,
    initialErrors: state?.errors ? only(step, answers, state.errors) : {},
  })
  useEffect(() => {
    if (state?.focus) focusField(form.id, state.focus)
  }, [form.id, state])

  const position = applySteps.indexOf(step) + 1
  const before = applySteps[position - 2]
  const Fields = fields[step]
  return (
    <>
      <p className="mb-1 text-13 text-soft tabular">{texts.stepOf(position, applySteps.length)}</p>
      <PageHeading
        title={texts.steps[step].title}
        documentTitle={texts.documentTitle(texts.steps[step].title)}
        product={shell.product}
        lead={texts.steps[step].lead}
        className="mb-6"
      />
      <FormShell form={form}>
        <Fields answers={form.values} />
        <div className="flex flex-wrap gap-3 border-t border-line pt-6">
          <Button type="submit" look="primary">
            {texts.next}
            <Icon name="arrow" />
          </Button>
          {before && (
            <Link to={paths.apply(before)} className={buttonLook('quiet')}>
              {texts.back}
            </Link>
          )}
        </div>
      </FormShell>
    </>
  )
}

function only(step: AskingStep, answers: Answers, errors: FormErrors): FormErrors {
  const names: string[] = fieldsOf(step, answers)
  return Object.fromEntries(Object.entries(errors).filter(([name]) => names.includes(name)))
}
