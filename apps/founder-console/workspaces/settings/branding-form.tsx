import { type AnchorSettings, uploadWorkspaceLogo } from '@windlass/contracts/anchor/anchor-settings.ts'
import { contrastOf, MIN_CONTRAST, PAGE_GROUND } from '@windlass/contracts/platform/contrast.ts'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { classNames } from '@windlass/ui/class-names.ts'
import { controlBorder, controlLook, describedBy, Labelled, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, useFormField } from '@windlass/ui/form.tsx'
import { type RefObject, useRef } from 'react'
import { operator } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { type FormProps, SettingsPanel } from './settings-forms.tsx'
import { texts } from './texts.ts'

const COLOR = /^#[0-9a-fA-F]{6}$/
const MAX_LOGO_BYTES = 64 * 1024

export function BrandingForm({ settings, onSave, onClose }: FormProps) {
  const { id: anchorId } = useWorkspace()
  const { branding } = settings
  const files = useRef<HTMLInputElement>(null)
  const initial = {
    color: branding.color ?? '',
    supportEmail: branding.supportEmail ?? '',
    logo: '',
    remove: [] as string[],
  }
  const check = ({ color, supportEmail }: typeof initial) => {
    const errors: FormErrors = {}
    if (color !== '' && !COLOR.test(color)) errors.color = texts.branding.colorInvalid
    else if (color !== '' && contrastOf(color, PAGE_GROUND) < MIN_CONTRAST)
      errors.color = texts.branding.colorTooLight
    if (supportEmail !== '' && !/^[^\s@]+@[^\s@]+$/.test(supportEmail))
      errors.supportEmail = texts.branding.supportInvalid
    if ((files.current?.files?.[0]?.size ?? 0) > MAX_LOGO_BYTES) errors.logo = texts.branding.logoTooLarge
    return errors
  }
  const read = async ({ color, supportEmail, remove }: typeof initial): Promise<AnchorSettings> => {
    const file = files.current?.files?.[0]
    const kept = remove.length > 0 ? null : branding.logo
    const logo = file ? await upload(anchorId, file) : kept
    return { ...settings, branding: { color: color || null, logo, supportEmail: supportEmail || null } }
  }
  return (
    <SettingsPanel title={texts.branding.title} {...{ initial, check, read, onSave, onClose }}>
      <TextField name="color" label={texts.branding.color} hint={texts.branding.colorHint} optional />
      <TextField
        name="supportEmail"
        type="email"
        label={texts.branding.support}
        hint={texts.branding.supportHint}
        optional
      />
      <LogoField inputRef={files} />
      {branding.logo && (
        <ChoicesField
          name="remove"
          label={texts.branding.logo}
          choices={[{ value: 'logo', label: texts.branding.removeLogo }]}
          optional
        />
      )}
    </SettingsPanel>
  )
}

async function upload(anchorId: string, file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const body = { data: btoa(binary) }
  return (await operator.call(uploadWorkspaceLogo, { params: { anchorId }, body })).id
}

function LogoField({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }) {
  const { id, error, set } = useFormField('logo')
  const { logo: label, logoHint: hint } = texts.branding
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional>
      <input
        ref={inputRef}
        type="file"
        accept="image/png,image/jpeg"
        id={id}
        onChange={event => set(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={classNames(controlLook, controlBorder(error), 'py-2')}
      />
    </Labelled>
  )
}
