import type { Client } from '@windlass/client/client.ts'
import type {
  PasskeyCredential,
  SecondFactorEndpoints,
  SecondFactorMethod,
  SecondFactors,
} from '@windlass/contracts/platform/second-factors.ts'

type Proof = { code: string } | { recoveryCode: string }

/** What the screens of second factors ask the platform for. */
export interface SecondFactorApi {
  list(signal?: AbortSignal): Promise<SecondFactors>
  methods(): Promise<SecondFactorMethod[]>
  verify(proof: Proof): Promise<unknown>
  /** Asks the browser for a passkey and proves it. */
  verifyPasskey(): Promise<unknown>
  /** Has the browser create a passkey. The first second factor returns recovery codes. */
  addPasskey(name: string): Promise<string[] | undefined>
  removePasskey(id: string): Promise<unknown>
  startApp(): Promise<{ secret: string; uri: string; qr: { size: number; path: string } }>
  confirmApp(code: string): Promise<string[] | undefined>
  removeApp(): Promise<unknown>
  replaceRecoveryCodes(): Promise<string[]>
}

// Loaded when a passkey is used: most visits need none.
const webauthn = () => import('@simplewebauthn/browser')

export const secondFactorApi = (call: Client['call'], endpoints: SecondFactorEndpoints): SecondFactorApi => ({
  list: signal => call(endpoints.list, { ...(signal && { signal }) }),
  methods: async () => (await call(endpoints.challenge)).methods,
  verify: proof => call(endpoints.verify, { body: proof }),
  verifyPasskey: async () => {
    const { startAuthentication } = await webauthn()
    const { passkey: options } = await call(endpoints.challenge)
    const passkey = await startAuthentication({
      optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
    })
    await call(endpoints.verify, { body: { passkey: passkey as PasskeyCredential } })
  },
  addPasskey: async name => {
    const { startRegistration } = await webauthn()
    const options = await call(endpoints.passkeyOptions)
    const passkey = await startRegistration({
      optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
    })
    const body = { name, passkey: passkey as PasskeyCredential }
    return (await call(endpoints.addPasskey, { body })).recoveryCodes
  },
  removePasskey: id => call(endpoints.removePasskey, { params: { id } }),
  startApp: () => call(endpoints.startApp),
  confirmApp: async code => (await call(endpoints.confirmApp, { body: { code } })).recoveryCodes,
  removeApp: () => call(endpoints.removeApp),
  replaceRecoveryCodes: async () => (await call(endpoints.replaceRecoveryCodes)).recoveryCodes,
})

/** Whether the browser or the person ended the request: no passkey, or the dialog was closed. */
export const isDeclined = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')
