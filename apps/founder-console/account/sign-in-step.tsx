import { SecondFactorStep, type SignInStepProps } from '@windlass/ui/console/second-factor-step.tsx'
import { Queries } from '../query-pages.tsx'
import { shell } from '../texts.ts'
import { secondFactors } from './second-factors.ts'

export default function SignInStep(props: SignInStepProps) {
  return (
    <Queries>
      <SecondFactorStep api={secondFactors} product={shell.product} {...props} />
    </Queries>
  )
}
