import { SecondFactorStep, type SignInStepProps } from '@windlass/ui/console/second-factor-step.tsx'
import { shell } from '../texts.ts'
import { secondFactors } from './second-factors.ts'

export default function SignInStep(props: SignInStepProps) {
  return <SecondFactorStep api={secondFactors} product={shell.product} {...props} />
}
