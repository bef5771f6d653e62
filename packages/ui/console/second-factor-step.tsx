import type { SignInStep } from '@windlass/contracts/realm.ts'
import { useState } from 'react'
import { Button } from '../button.tsx'
import { PageHeading } from '../page.tsx'
import { AddAppForm, AddPasskeyForm, RecoveryCodes } from './add-second-factor.tsx'
import type { SecondFactorApi } from './second-factor-api.ts'
import { SecondFactorProof } from './second-factor-proof.tsx'
import { secondFactorTexts as texts } from './second-factor-texts.ts'

/** What a console's sign-in page gives to the step. */
export interface SignInStepProps {
  awaiting: SignInStep
  onDone(): void
  onStartOver(): void
}

interface SecondFactorStepProps extends SignInStepProps {
  api: SecondFactorApi
  product: string
}

/** The end of a sign-in: the second factor, or adding the first one. */
export function SecondFactorStep({ awaiting, product, api, onDone, onStartOver }: SecondFactorStepProps) {
  return (
    <>
      {awaiting === 'enrolment' ? (
        <Enrolment api={api} product={product} onDone={onDone} />
      ) : (
        <>
          <PageHeading title={texts.step.title} product={product} lead={texts.step.lead} />
          <SecondFactorProof api={api} onDone={onDone} />
        </>
      )}
      <button type="button" className="link text-14" onClick={onStartOver}>
        {texts.step.startOver}
      </button>
    </>
  )
}

function Enrolment({ api, product, onDone }: Pick<SecondFactorStepProps, 'api' | 'product' | 'onDone'>) {
  const [kind, setKind] = useState<'passkey' | 'app'>()
  const [codes, setCodes] = useState<string[]>()
  if (codes) {
    return (
      <>
        <PageHeading key="codes" title={texts.codes.title} product={product} />
        <RecoveryCodes codes={codes} onSaved={onDone} />
      </>
    )
  }
  const added = (recoveryCodes: string[] | undefined) => (recoveryCodes ? setCodes(recoveryCodes) : onDone())
  return (
    <>
      <PageHeading title={texts.step.enrolTitle} product={product} lead={texts.step.enrolLead} />
      {kind === 'passkey' && <AddPasskeyForm api={api} onAdded={added} />}
      {kind === 'app' && <AddAppForm api={api} onAdded={added} />}
      <div className="flex flex-wrap gap-2">
        {kind !== 'passkey' && (
          <Button look={kind ? 'secondary' : 'primary'} onClick={() => setKind('passkey')}>
            {texts.passkey.add}
          </Button>
        )}
        {kind !== 'app' && <Button onClick={() => setKind('app')}>{texts.app.add}</Button>}
      </div>
    </>
  )
}
