// Written by `npx --no-install api client` from the OpenAPI document. Do not edit: run it again.
import {
  type ApiClient,
  type Call,
  type CallOptions,
  type ClientOptions,
  createApiClient,
  type EachOptions,
  type EachQuery,
  type ErrorItem,
  type Failure,
  type Operations,
  type PreconditionFailure,
} from '@create-api/client'

export interface User {
  id: string
  email: string
  roles: string[]
  permissions: string[]
  emailVerified: boolean
  createdAt: string
}

export interface AuthSession {
  id: string
  device: string | null
  address: string | null
  createdAt: string
  lastSeenAt: string
  current: boolean
}

export interface AuthFactor {
  factors: Factor[]
  recoveryCodes: number
  trustedDevices: number
}

export interface Factor {
  id: string
  kind: 'totp'
  name: string
  createdAt: string
  lastUsedAt: string | null
}

export interface Passkey {
  id: string
  name: string
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
  createdAt: string
  lastUsedAt: string | null
}

export interface BeginIdentityLoginQuery {
  codeChallenge?: string
  returnTo?: 'http://localhost:3000/account.html'
  linkToken?: string
}

export interface Identity {
  provider: string
  email: string | null
  createdAt: string
  lastUsedAt: string | null
}

export interface AuthorPage {
  data: Author[]
  meta: ListMeta
}

export interface Author {
  id: string
  name: string
  bio?: string
  createdAt: string
  updatedAt: string
}

export type ListMeta = PageMeta | OffsetMeta | CursorMeta

export interface PageMeta {
  page: number
  limit: number
  total: number
  pages: number
}

export interface OffsetMeta {
  limit: number
  offset: number
  total: number
}

export interface CursorMeta {
  limit: number
  nextCursor?: string
}

export interface ListAuthorsQuery {
  /** Page number, from 1. */
  page?: number
  /** `meta.nextCursor` of the previous response, or empty for the first page. Repeat the other parameters unchanged. Cannot be combined with `page`. */
  cursor?: string
  /** Number of items to skip. Cannot be combined with `page` or `cursor`. */
  offset?: number
  /** Maximum number of items. */
  limit?: number
  /** Fields to sort by, separated by commas, most significant first; `-` means descending. */
  sort?: string
  name?: string
  /** `name` is not. */
  'name[ne]'?: string
  /** `name` is one of these, separated by commas; `\,` is a comma. */
  'name[in]'?: string
  /** `name` contains, ignoring case. */
  'name[contains]'?: string
  /** `name` starts with. */
  'name[startsWith]'?: string
  createdAt?: string
  /** `createdAt` is not. */
  'createdAt[ne]'?: string
  /** `createdAt` is greater than. */
  'createdAt[gt]'?: string
  /** `createdAt` is at least. */
  'createdAt[gte]'?: string
  /** `createdAt` is less than. */
  'createdAt[lt]'?: string
  /** `createdAt` is at most. */
  'createdAt[lte]'?: string
}

export interface PostPage {
  data: PostView[]
  meta: ListMeta
}

export interface PostView {
  id: string
  title?: string
  slug?: string
  body?: string
  status?: 'draft' | 'published'
  tags?: string[]
  author?: string
  createdAt?: string
  updatedAt?: string
  included?: {
    author?: {
      id: string
      name: string
      bio?: string
      createdAt: string
      updatedAt: string
    } | null
  }
}

export interface ListPostsQuery {
  /** Page number, from 1. */
  page?: number
  /** `meta.nextCursor` of the previous response, or empty for the first page. Repeat the other parameters unchanged. Cannot be combined with `page`. */
  cursor?: string
  /** Number of items to skip. Cannot be combined with `page` or `cursor`. */
  offset?: number
  /** Maximum number of items. */
  limit?: number
  /** Fields to sort by, separated by commas, most significant first; `-` means descending. */
  sort?: string
  /** Fields to return, separated by commas; `id` is always returned. */
  fields?: string
  /** References to include in the response, separated by commas. */
  include?: string
  title?: string
  /** `title` is not. */
  'title[ne]'?: string
  /** `title` is one of these, separated by commas; `\,` is a comma. */
  'title[in]'?: string
  /** `title` contains, ignoring case. */
  'title[contains]'?: string
  /** `title` starts with. */
  'title[startsWith]'?: string
  slug?: string
  /** `slug` is not. */
  'slug[ne]'?: string
  /** `slug` is one of these, separated by commas; `\,` is a comma. */
  'slug[in]'?: string
  /** `slug` contains, ignoring case. */
  'slug[contains]'?: string
  /** `slug` starts with. */
  'slug[startsWith]'?: string
  status?: 'draft' | 'published'
  /** `status` is not. */
  'status[ne]'?: 'draft' | 'published'
  /** `status` is one of these, separated by commas; `\,` is a comma. */
  'status[in]'?: string
  tags?: string
  /** `tags` is not. */
  'tags[ne]'?: string
  /** `tags` is one of these, separated by commas; `\,` is a comma. */
  'tags[in]'?: string
  author?: string
  /** `author` is not. */
  'author[ne]'?: string
  /** `author` is one of these, separated by commas; `\,` is a comma. */
  'author[in]'?: string
  createdAt?: string
  /** `createdAt` is not. */
  'createdAt[ne]'?: string
  /** `createdAt` is greater than. */
  'createdAt[gt]'?: string
  /** `createdAt` is at least. */
  'createdAt[gte]'?: string
  /** `createdAt` is less than. */
  'createdAt[lt]'?: string
  /** `createdAt` is at most. */
  'createdAt[lte]'?: string
  /** Text to search for, ignoring case. */
  q?: string
}

export interface GetPostQuery {
  /** Fields to return, separated by commas; `id` is always returned. */
  fields?: string
  /** References to include in the response, separated by commas. */
  include?: string
}

export interface PostCommentPage {
  data: PostComment[]
  meta: ListMeta
}

export interface PostComment {
  id: string
  body: string
  createdAt: string
  updatedAt: string
}

export interface ListPostCommentsQuery {
  /** Page number, from 1. */
  page?: number
  /** `meta.nextCursor` of the previous response, or empty for the first page. Repeat the other parameters unchanged. Cannot be combined with `page`. */
  cursor?: string
  /** Number of items to skip. Cannot be combined with `page` or `cursor`. */
  offset?: number
  /** Maximum number of items. */
  limit?: number
  /** Fields to sort by, separated by commas, most significant first; `-` means descending. */
  sort?: string
  createdAt?: string
  /** `createdAt` is not. */
  'createdAt[ne]'?: string
  /** `createdAt` is greater than. */
  'createdAt[gt]'?: string
  /** `createdAt` is at least. */
  'createdAt[gte]'?: string
  /** `createdAt` is less than. */
  'createdAt[lt]'?: string
  /** `createdAt` is at most. */
  'createdAt[lte]'?: string
}

export interface AuthRegister {
  user: User
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  expiresIn: number
}

export interface RegisterBody {
  /** An e-mail address; spaces around it are removed. */
  email: string
  password: string
}

export interface LoginBody {
  /** An e-mail address; spaces around it are removed. */
  email: string
  password: string
}

export interface ChangePasswordBody {
  currentPassword: string
  newPassword: string
}

export interface ReauthenticateBody {
  password: string
}

export interface ForgotPasswordBody {
  /** An e-mail address; spaces around it are removed. */
  email: string
}

export interface ResetPasswordBody {
  token: string
  password: string
}

export interface VerifyEmailBody {
  token: string
}

export interface ResendVerificationBody {
  /** An e-mail address; spaces around it are removed. */
  email: string
}

export interface ChangeEmailBody {
  /** An e-mail address; spaces around it are removed. */
  email: string
  currentPassword: string
}

export interface ConfirmEmailBody {
  token: string
}

export interface AuthSecondFactor {
  user: User
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  expiresIn: number
  recoveryCodes?: string[]
  deviceToken?: string
}

export interface CompleteLoginBody {
  token: string
  code: string
}

export interface AuthSecondFactorSetup {
  id: string
  secret: string
  uri: string
}

export interface EnrolAtLoginBody {
  token: string
}

export interface ReauthenticateByCodeBody {
  code: string
}

export interface EnrolTotpBody {
  name?: string
}

export interface AuthFactorConfirm {
  recoveryCodes?: string[]
}

export interface ConfirmTotpBody {
  code: string
}

export interface AuthFactorRecoveryCode {
  recoveryCodes: string[]
}

export interface AuthPasskeyLoginOption {
  requestToken: string
  expiresIn: number
  publicKey: PublicKeyCredentialRequestOptionsJSON
}

export interface PublicKeyCredentialRequestOptionsJSON {
  challenge: string
  timeout: number
  rpId: string
  allowCredentials: {
    id: string
    type: 'public-key'
    transports?: string[]
  }[]
  userVerification: 'required' | 'preferred'
}

export interface CompletePasskeyLoginBody {
  requestToken: string
  credential: AuthenticationResponseJSON
}

export interface AuthenticationResponseJSON {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null
  }
}

export interface AuthPasskeyOption {
  requestToken: string
  expiresIn: number
  publicKey: PublicKeyCredentialCreationOptionsJSON
}

export interface PublicKeyCredentialCreationOptionsJSON {
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  challenge: string
  pubKeyCredParams: {
    type: 'public-key'
    alg: number
  }[]
  timeout: number
  excludeCredentials: {
    id: string
    type: 'public-key'
    transports?: string[]
  }[]
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required' | 'preferred'
  }
  attestation: 'none'
}

export interface CompletePasskeyRegistrationBody {
  requestToken: string
  credential: RegistrationResponseJSON
  name?: string
}

export interface RegistrationResponseJSON {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    attestationObject: string
    transports?: string[]
  }
}

export interface RenamePasskeyBody {
  name: string
}

export interface ReauthenticateByPasskeyBody {
  requestToken: string
  credential: AuthenticationResponseJSON
}

export type ReceiveIdentityFormBody = Record<string, unknown>

export interface CompleteIdentityLoginBody {
  code: string
  codeVerifier: string
  fields?: Record<string, unknown>
}

export interface AuthIdentityNonce {
  nonce: string
  expiresIn: number
}

export interface LogInWithIdTokenBody {
  idToken: string
  nonce: string
  fields?: Record<string, unknown>
}

export interface AuthIdentityLink {
  url: string
  expiresIn: number
}

export interface CreateIdentityLink {
  codeChallenge: string
  returnTo?: 'http://localhost:3000/account.html'
}

export interface CompleteIdentityLinkBody {
  code: string
  codeVerifier: string
}

export interface CreateAuthor {
  name: string
  bio?: string
}

export interface ReplaceAuthor {
  name: string
  bio?: string
}

export interface UpdateAuthor {
  name?: string
  bio?: string | null
}

export interface Post {
  id: string
  title: string
  slug: string
  body: string
  status: 'draft' | 'published'
  tags: string[]
  author: string
  createdAt: string
  updatedAt: string
}

export interface CreatePost {
  title: string
  slug: string
  body: string
  status: 'draft' | 'published'
  tags?: string[]
  author: string
}

export interface ReplacePost {
  title: string
  slug: string
  body: string
  status: 'draft' | 'published'
  tags?: string[]
  author: string
}

export interface UpdatePost {
  title?: string
  slug?: string
  body?: string
  status?: 'draft' | 'published'
  tags?: string[]
  author?: string
}

export interface CreatePostComment {
  body: string
}

export interface ReplacePostComment {
  body: string
}

export interface UpdatePostComment {
  body?: string
}

/** Any call can fail with these. */
export type CommonFailure =
  | Failure<'bad_request', 400>
  | Failure<'invalid_query', 400>
  | Failure<'not_acceptable', 406>
  | Failure<'request_timeout', 408>
  | Failure<'expectation_failed', 417>
  | Failure<'rate_limited', 429>
  | Failure<'headers_too_large', 431>
  | Failure<'internal_error', 500>
  | Failure<'service_unavailable', 503>
  | Failure<'timeout', 504>

/** Any call that requires authentication can also fail with these. */
export type AuthenticationFailure =
  | Failure<'invalid_token', 401>
  | Failure<'session_revoked', 401>
  | Failure<'token_expired', 401>
  | Failure<'unauthenticated', 401>

/** Any call with a parameter in its path can also fail with these. */
export type PathFailure = Failure<'invalid_encoding', 400> | Failure<'not_found', 404>

/** Any call with a body can also fail with these. */
export type BodyFailure =
  | Failure<'malformed_json', 400>
  | Failure<'too_deep', 400>
  | Failure<'payload_too_large', 413>
  | Failure<'unsupported_media_type', 415>
  | (Failure<'validation_failed', 422> & { readonly errors: readonly ErrorItem[] })

/** Any call with an idempotency key can also fail with these. */
export type IdempotencyFailure =
  Failure<'idempotency_conflict', 409> | Failure<'idempotency_key_reused', 422>

export type RegisterFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'email_taken', 409>
  | Failure<'password_too_common', 422>
  | Failure<'overloaded', 503>
export type LoginFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_credentials', 401>
  | Failure<'second_factor_required', 401>
  | Failure<'second_factor_setup_required', 401>
  | Failure<'overloaded', 503>
export type MeFailure = CommonFailure | AuthenticationFailure
export type LogoutAllFailure = CommonFailure | AuthenticationFailure
export type ListSessionsFailure = CommonFailure | AuthenticationFailure
export type RevokeSessionFailure = CommonFailure | AuthenticationFailure | PathFailure
export type ChangePasswordFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_credentials', 401>
  | Failure<'password_too_common', 422>
  | Failure<'overloaded', 503>
export type ReauthenticateFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_credentials', 401>
  | Failure<'second_factor_required', 401>
  | Failure<'overloaded', 503>
export type ForgotPasswordFailure = CommonFailure | BodyFailure | Failure<'invalid_encoding', 400>
export type ResetPasswordFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_token', 401>
  | Failure<'password_too_common', 422>
  | Failure<'overloaded', 503>
export type VerifyEmailFailure =
  CommonFailure | BodyFailure | Failure<'invalid_encoding', 400> | Failure<'invalid_token', 401>
export type ResendVerificationFailure =
  CommonFailure | BodyFailure | Failure<'invalid_encoding', 400>
export type ChangeEmailFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_credentials', 401>
  | Failure<'email_taken', 409>
  | Failure<'overloaded', 503>
export type ConfirmEmailFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_token', 401>
  | Failure<'email_taken', 409>
export type CompleteLoginFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_code', 401>
  | Failure<'invalid_credentials', 401>
  | Failure<'invalid_token', 401>
export type EnrolAtLoginFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_token', 401>
  | Failure<'too_many_factors', 409>
export type ListFactorsFailure = CommonFailure | AuthenticationFailure
export type ReauthenticateByCodeFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_code', 401>
export type EnrolTotpFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'too_many_factors', 409>
export type ConfirmTotpFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'invalid_code', 401>
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
export type RemoveFactorFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
export type CreateRecoveryCodesFailure =
  | CommonFailure
  | AuthenticationFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'not_found', 404>
export type BeginPasskeyLoginFailure = CommonFailure
export type CompletePasskeyLoginFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_passkey', 401>
  | Failure<'invalid_token', 401>
  | Failure<'second_factor_required', 401>
  | Failure<'second_factor_setup_required', 401>
export type BeginPasskeyRegistrationFailure =
  | CommonFailure
  | AuthenticationFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'too_many_passkeys', 409>
export type ListPasskeysFailure = CommonFailure | AuthenticationFailure
export type CompletePasskeyRegistrationFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_passkey', 401>
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'passkey_exists', 409>
  | Failure<'too_many_passkeys', 409>
export type RenamePasskeyFailure = CommonFailure | AuthenticationFailure | PathFailure | BodyFailure
export type RemovePasskeyFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'last_login_method', 409>
export type BeginPasskeyReauthenticationFailure =
  CommonFailure | AuthenticationFailure | Failure<'not_found', 404>
export type ReauthenticateByPasskeyFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_passkey', 401>
export type BeginIdentityLoginFailure = CommonFailure | PathFailure
export type UnlinkIdentityFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
  | Failure<'last_login_method', 409>
export type ReceiveIdentityFailure = CommonFailure | PathFailure
export type ReceiveIdentityFormFailure = CommonFailure | PathFailure | BodyFailure
export type CompleteIdentityLoginFailure =
  | CommonFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'invalid_credentials', 401>
  | Failure<'invalid_token', 401>
  | Failure<'second_factor_required', 401>
  | Failure<'second_factor_setup_required', 401>
  | Failure<'email_not_verified', 403>
  | Failure<'registration_closed', 403>
  | Failure<'email_taken', 409>
  | Failure<'identity_not_linked', 409>
  | Failure<'identity_taken', 409>
export type CreateIdentityNonceFailure = CommonFailure
export type LogInWithIdTokenFailure =
  | CommonFailure
  | PathFailure
  | BodyFailure
  | Failure<'invalid_credentials', 401>
  | Failure<'invalid_identity', 401>
  | Failure<'invalid_token', 401>
  | Failure<'second_factor_required', 401>
  | Failure<'second_factor_setup_required', 401>
  | Failure<'email_not_verified', 403>
  | Failure<'registration_closed', 403>
  | Failure<'email_taken', 409>
  | Failure<'identity_not_linked', 409>
  | Failure<'identity_taken', 409>
  | Failure<'provider_unavailable', 503>
export type ListIdentitiesFailure = CommonFailure | AuthenticationFailure
export type CreateIdentityLinkFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'reauthentication_required', 401>
  | Failure<'forbidden', 403>
export type CompleteIdentityLinkFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'identity_taken', 409>
export type ListAuthorsFailure = CommonFailure | AuthenticationFailure
export type CreateAuthorFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | IdempotencyFailure
  | Failure<'invalid_encoding', 400>
export type GetAuthorFailure = CommonFailure | AuthenticationFailure | PathFailure
export type ReplaceAuthorFailure =
  CommonFailure | AuthenticationFailure | PathFailure | BodyFailure | PreconditionFailure<Author>
export type UpdateAuthorFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'conflict', 409>
  | PreconditionFailure<Author>
export type DeleteAuthorFailure =
  CommonFailure | AuthenticationFailure | PathFailure | PreconditionFailure<Author>
export type ListPostsFailure = CommonFailure | AuthenticationFailure
export type CreatePostFailure =
  | CommonFailure
  | AuthenticationFailure
  | BodyFailure
  | IdempotencyFailure
  | Failure<'invalid_encoding', 400>
  | Failure<'duplicate', 409>
export type GetPostFailure = CommonFailure | AuthenticationFailure | PathFailure
export type ReplacePostFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'duplicate', 409>
  | PreconditionFailure<PostView>
export type UpdatePostFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'conflict', 409>
  | Failure<'duplicate', 409>
  | PreconditionFailure<PostView>
export type DeletePostFailure =
  CommonFailure | AuthenticationFailure | PathFailure | PreconditionFailure<PostView>
export type ListPostCommentsFailure = CommonFailure | AuthenticationFailure | PathFailure
export type CreatePostCommentFailure =
  CommonFailure | AuthenticationFailure | PathFailure | BodyFailure | IdempotencyFailure
export type GetPostCommentFailure = CommonFailure | AuthenticationFailure | PathFailure
export type ReplacePostCommentFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | PreconditionFailure<PostComment>
export type UpdatePostCommentFailure =
  | CommonFailure
  | AuthenticationFailure
  | PathFailure
  | BodyFailure
  | Failure<'conflict', 409>
  | PreconditionFailure<PostComment>
export type DeletePostCommentFailure =
  CommonFailure | AuthenticationFailure | PathFailure | PreconditionFailure<PostComment>

export interface AuthClient {
  /** Register */
  register(body: RegisterBody, options?: CallOptions): Call<AuthRegister, RegisterFailure>

  /** Log in */
  login(body: LoginBody, options?: CallOptions): Call<AuthRegister, LoginFailure>

  /** Show the current user */
  me(options?: CallOptions): Call<User, MeFailure>

  /** Log out of every session of the current user */
  logoutAll(options?: CallOptions): Call<void, LogoutAllFailure>

  /** List the sessions of the current user */
  listSessions(options?: CallOptions): Call<AuthSession[], ListSessionsFailure>

  /** Revoke one session of the current user */
  revokeSession(
    id: string | { readonly id: string },
    options?: CallOptions,
  ): Call<void, RevokeSessionFailure>

  /** Change the password, renew the tokens of the session and revoke all others */
  changePassword(
    body: ChangePasswordBody,
    options?: CallOptions,
  ): Call<AuthRegister | void, ChangePasswordFailure>

  /** Prove the identity again, for routes that require a recent proof */
  reauthenticate(body: ReauthenticateBody, options?: CallOptions): Call<void, ReauthenticateFailure>

  /** Request a link that sets a new password */
  forgotPassword(body: ForgotPasswordBody, options?: CallOptions): Call<void, ForgotPasswordFailure>

  /** Set a new password with the token of a link */
  resetPassword(body: ResetPasswordBody, options?: CallOptions): Call<void, ResetPasswordFailure>

  /** Verify an e-mail address with the token of a link */
  verifyEmail(body: VerifyEmailBody, options?: CallOptions): Call<void, VerifyEmailFailure>

  /** Request another link that verifies an e-mail address */
  resendVerification(
    body: ResendVerificationBody,
    options?: CallOptions,
  ): Call<void, ResendVerificationFailure>

  /** Request a link that changes the e-mail address */
  changeEmail(body: ChangeEmailBody, options?: CallOptions): Call<void, ChangeEmailFailure>

  /** Change the e-mail address with the token of a link */
  confirmEmail(body: ConfirmEmailBody, options?: CallOptions): Call<void, ConfirmEmailFailure>

  /** Complete a login with a code */
  completeLogin(
    body: CompleteLoginBody,
    options?: CallOptions,
  ): Call<AuthSecondFactor, CompleteLoginFailure>

  /** Set up a second factor in a login that requires one */
  enrolAtLogin(
    body: EnrolAtLoginBody,
    options?: CallOptions,
  ): Call<AuthSecondFactorSetup, EnrolAtLoginFailure>

  /** List the second factors of the current user */
  listFactors(options?: CallOptions): Call<AuthFactor, ListFactorsFailure>

  /** Prove the identity again with a code, for routes that require a recent proof */
  reauthenticateByCode(
    body: ReauthenticateByCodeBody,
    options?: CallOptions,
  ): Call<void, ReauthenticateByCodeFailure>

  /** Create the secret of an authenticator application */
  enrolTotp(
    body: EnrolTotpBody,
    options?: CallOptions,
  ): Call<AuthSecondFactorSetup, EnrolTotpFailure>

  /** Confirm an authenticator application with a code */
  confirmTotp(
    id: string,
    body: ConfirmTotpBody,
    options?: CallOptions,
  ): Call<AuthFactorConfirm, ConfirmTotpFailure>

  /** Remove a second factor of the current user */
  removeFactor(
    id: string | { readonly id: string },
    options?: CallOptions,
  ): Call<void, RemoveFactorFailure>

  /** Create recovery codes, which replace those of before */
  createRecoveryCodes(
    options?: CallOptions,
  ): Call<AuthFactorRecoveryCode, CreateRecoveryCodesFailure>

  /** Begin a login with a passkey */
  beginPasskeyLogin(options?: CallOptions): Call<AuthPasskeyLoginOption, BeginPasskeyLoginFailure>

  /** Log in with a passkey */
  completePasskeyLogin(
    body: CompletePasskeyLoginBody,
    options?: CallOptions,
  ): Call<AuthRegister, CompletePasskeyLoginFailure>

  /** Begin the registration of a passkey */
  beginPasskeyRegistration(
    options?: CallOptions,
  ): Call<AuthPasskeyOption, BeginPasskeyRegistrationFailure>

  /** List the passkeys of the current user */
  listPasskeys(options?: CallOptions): Call<Passkey[], ListPasskeysFailure>

  /** Register a passkey */
  completePasskeyRegistration(
    body: CompletePasskeyRegistrationBody,
    options?: CallOptions,
  ): Call<Passkey, CompletePasskeyRegistrationFailure>

  /** Rename a passkey of the current user */
  renamePasskey(
    id: string | { readonly id: string },
    body: RenamePasskeyBody,
    options?: CallOptions,
  ): Call<Passkey, RenamePasskeyFailure>

  /** Remove a passkey of the current user */
  removePasskey(
    id: string | { readonly id: string },
    options?: CallOptions,
  ): Call<void, RemovePasskeyFailure>

  /** Begin another proof of the identity with a passkey */
  beginPasskeyReauthentication(
    options?: CallOptions,
  ): Call<AuthPasskeyLoginOption, BeginPasskeyReauthenticationFailure>

  /** Prove the identity again with a passkey, for routes that require a recent proof */
  reauthenticateByPasskey(
    body: ReauthenticateByPasskeyBody,
    options?: CallOptions,
  ): Call<void, ReauthenticateByPasskeyFailure>

  /** Send the browser to a provider to log in */
  beginIdentityLogin(
    provider: string,
    query?: BeginIdentityLoginQuery,
    options?: CallOptions,
  ): Call<void, BeginIdentityLoginFailure>

  /** Unlink the account of a provider from the current user */
  unlinkIdentity(
    provider: string | { readonly provider: string },
    options?: CallOptions,
  ): Call<void, UnlinkIdentityFailure>

  /** Receive the browser from a provider, and send it to the application */
  receiveIdentity(provider: string, options?: CallOptions): Call<void, ReceiveIdentityFailure>

  /** Receive the form of a provider, and send the browser to the callback */
  receiveIdentityForm(
    provider: string,
    body: ReceiveIdentityFormBody,
    options?: CallOptions,
  ): Call<void, ReceiveIdentityFormFailure>

  /** Log in with the account that the browser returned with */
  completeIdentityLogin(
    body: CompleteIdentityLoginBody,
    options?: CallOptions,
  ): Call<AuthRegister, CompleteIdentityLoginFailure>

  /** Create the nonce of an ID token */
  createIdentityNonce(options?: CallOptions): Call<AuthIdentityNonce, CreateIdentityNonceFailure>

  /** Log in with an ID token */
  logInWithIdToken(
    provider: string,
    body: LogInWithIdTokenBody,
    options?: CallOptions,
  ): Call<AuthRegister, LogInWithIdTokenFailure>

  /** List the accounts of providers that are linked to the current user */
  listIdentities(options?: CallOptions): Call<Identity[], ListIdentitiesFailure>

  /** Create the URL with which the current user links an account of a provider */
  createIdentityLink(
    provider: string,
    body: CreateIdentityLink,
    options?: CallOptions,
  ): Call<AuthIdentityLink, CreateIdentityLinkFailure>

  /** Link the account that the browser returned with to the current user */
  completeIdentityLink(
    body: CompleteIdentityLinkBody,
    options?: CallOptions,
  ): Call<Identity, CompleteIdentityLinkFailure>
}

export interface AuthorsClient {
  /** List authors */
  list(query?: ListAuthorsQuery, options?: CallOptions): Call<AuthorPage, ListAuthorsFailure>
  /** Reads the documents of all pages. */
  each(query?: EachQuery<ListAuthorsQuery>, options?: EachOptions): AsyncIterable<Author>
  /** Reads all pages. */
  pages(query?: EachQuery<ListAuthorsQuery>, options?: EachOptions): AsyncIterable<AuthorPage>

  /** Create author */
  create(body: CreateAuthor, options?: CallOptions): Call<Author, CreateAuthorFailure>

  /** Get author */
  get(id: string, options?: CallOptions): Call<Author, GetAuthorFailure>

  /** Replace author */
  replace(
    id: string | { readonly id: string },
    body: ReplaceAuthor,
    options?: CallOptions,
  ): Call<Author, ReplaceAuthorFailure>

  /** Update author */
  patch(
    id: string | { readonly id: string },
    body: UpdateAuthor,
    options?: CallOptions,
  ): Call<Author, UpdateAuthorFailure>

  /** Delete author */
  delete(
    id: string | { readonly id: string },
    options?: CallOptions,
  ): Call<void, DeleteAuthorFailure>
}

export interface PostsClient {
  /** List posts */
  list(query?: ListPostsQuery, options?: CallOptions): Call<PostPage, ListPostsFailure>
  /** Reads the documents of all pages. */
  each(query?: EachQuery<ListPostsQuery>, options?: EachOptions): AsyncIterable<PostView>
  /** Reads all pages. */
  pages(query?: EachQuery<ListPostsQuery>, options?: EachOptions): AsyncIterable<PostPage>

  /** Create post */
  create(body: CreatePost, options?: CallOptions): Call<Post, CreatePostFailure>

  /** Get post */
  get(id: string, query?: GetPostQuery, options?: CallOptions): Call<PostView, GetPostFailure>

  /** Replace post */
  replace(
    id: string | { readonly id: string },
    body: ReplacePost,
    options?: CallOptions,
  ): Call<Post, ReplacePostFailure>

  /** Update post */
  patch(
    id: string | { readonly id: string },
    body: UpdatePost,
    options?: CallOptions,
  ): Call<Post, UpdatePostFailure>

  /** Delete post */
  delete(id: string | { readonly id: string }, options?: CallOptions): Call<void, DeletePostFailure>
}

export interface CommentsClient {
  /** List post comments */
  list(
    postId: string,
    query?: ListPostCommentsQuery,
    options?: CallOptions,
  ): Call<PostCommentPage, ListPostCommentsFailure>
  /** Reads the documents of all pages. */
  each(
    postId: string,
    query?: EachQuery<ListPostCommentsQuery>,
    options?: EachOptions,
  ): AsyncIterable<PostComment>
  /** Reads all pages. */
  pages(
    postId: string,
    query?: EachQuery<ListPostCommentsQuery>,
    options?: EachOptions,
  ): AsyncIterable<PostCommentPage>

  /** Create post comment */
  create(
    postId: string,
    body: CreatePostComment,
    options?: CallOptions,
  ): Call<PostComment, CreatePostCommentFailure>

  /** Get post comment */
  get(postId: string, id: string, options?: CallOptions): Call<PostComment, GetPostCommentFailure>

  /** Replace post comment */
  replace(
    postId: string,
    id: string | { readonly id: string },
    body: ReplacePostComment,
    options?: CallOptions,
  ): Call<PostComment, ReplacePostCommentFailure>

  /** Update post comment */
  patch(
    postId: string,
    id: string | { readonly id: string },
    body: UpdatePostComment,
    options?: CallOptions,
  ): Call<PostComment, UpdatePostCommentFailure>

  /** Delete post comment */
  delete(
    postId: string,
    id: string | { readonly id: string },
    options?: CallOptions,
  ): Call<void, DeletePostCommentFailure>
}

export interface Client extends ApiClient {
  readonly auth: AuthClient
  readonly authors: AuthorsClient
  readonly posts: PostsClient
  readonly comments: CommentsClient
}

const operations = {
  auth: {
    register: {
      method: 'POST',
      path: '/api/v1/auth/register',
      body: 'application/json',
      data: 'data',
    },
    login: { method: 'POST', path: '/api/v1/auth/login', body: 'application/json', data: 'data' },
    me: { method: 'GET', path: '/api/v1/auth/me', data: 'data' },
    logoutAll: { method: 'POST', path: '/api/v1/auth/logout-all' },
    listSessions: { method: 'GET', path: '/api/v1/auth/sessions', data: 'data' },
    revokeSession: { method: 'DELETE', path: '/api/v1/auth/sessions/{id}' },
    changePassword: {
      method: 'POST',
      path: '/api/v1/auth/change-password',
      body: 'application/json',
      data: 'data',
    },
    reauthenticate: {
      method: 'POST',
      path: '/api/v1/auth/reauthenticate',
      body: 'application/json',
    },
    forgotPassword: {
      method: 'POST',
      path: '/api/v1/auth/forgot-password',
      body: 'application/json',
    },
    resetPassword: {
      method: 'POST',
      path: '/api/v1/auth/reset-password',
      body: 'application/json',
    },
    verifyEmail: { method: 'POST', path: '/api/v1/auth/verify-email', body: 'application/json' },
    resendVerification: {
      method: 'POST',
      path: '/api/v1/auth/resend-verification',
      body: 'application/json',
    },
    changeEmail: { method: 'POST', path: '/api/v1/auth/change-email', body: 'application/json' },
    confirmEmail: { method: 'POST', path: '/api/v1/auth/confirm-email', body: 'application/json' },
    completeLogin: {
      method: 'POST',
      path: '/api/v1/auth/second-factor',
      body: 'application/json',
      data: 'data',
    },
    enrolAtLogin: {
      method: 'POST',
      path: '/api/v1/auth/second-factor/setup',
      body: 'application/json',
      data: 'data',
    },
    listFactors: { method: 'GET', path: '/api/v1/auth/factors', data: 'data' },
    reauthenticateByCode: {
      method: 'POST',
      path: '/api/v1/auth/reauthenticate/code',
      body: 'application/json',
    },
    enrolTotp: {
      method: 'POST',
      path: '/api/v1/auth/factors/totp',
      body: 'application/json',
      data: 'data',
    },
    confirmTotp: {
      method: 'POST',
      path: '/api/v1/auth/factors/{id}/confirm',
      body: 'application/json',
      data: 'data',
    },
    removeFactor: { method: 'DELETE', path: '/api/v1/auth/factors/{id}' },
    createRecoveryCodes: {
      method: 'POST',
      path: '/api/v1/auth/factors/recovery-codes',
      data: 'data',
    },
    beginPasskeyLogin: {
      method: 'POST',
      path: '/api/v1/auth/passkeys/login/options',
      data: 'data',
    },
    completePasskeyLogin: {
      method: 'POST',
      path: '/api/v1/auth/passkeys/login',
      body: 'application/json',
      data: 'data',
    },
    beginPasskeyRegistration: {
      method: 'POST',
      path: '/api/v1/auth/passkeys/options',
      data: 'data',
    },
    listPasskeys: { method: 'GET', path: '/api/v1/auth/passkeys', data: 'data' },
    completePasskeyRegistration: {
      method: 'POST',
      path: '/api/v1/auth/passkeys',
      body: 'application/json',
      data: 'data',
    },
    renamePasskey: {
      method: 'PATCH',
      path: '/api/v1/auth/passkeys/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    removePasskey: { method: 'DELETE', path: '/api/v1/auth/passkeys/{id}' },
    beginPasskeyReauthentication: {
      method: 'POST',
      path: '/api/v1/auth/reauthenticate/passkey/options',
      data: 'data',
    },
    reauthenticateByPasskey: {
      method: 'POST',
      path: '/api/v1/auth/reauthenticate/passkey',
      body: 'application/json',
    },
    beginIdentityLogin: { method: 'GET', path: '/api/v1/auth/identities/{provider}', query: true },
    unlinkIdentity: {
      method: 'DELETE',
      path: '/api/v1/auth/identities/{provider}',
      key: 'provider',
    },
    receiveIdentity: { method: 'GET', path: '/api/v1/auth/identities/{provider}/callback' },
    receiveIdentityForm: {
      method: 'POST',
      path: '/api/v1/auth/identities/{provider}/callback',
      body: 'application/x-www-form-urlencoded',
    },
    completeIdentityLogin: {
      method: 'POST',
      path: '/api/v1/auth/identities/complete',
      body: 'application/json',
      data: 'data',
    },
    createIdentityNonce: { method: 'POST', path: '/api/v1/auth/identities/nonce', data: 'data' },
    logInWithIdToken: {
      method: 'POST',
      path: '/api/v1/auth/identities/{provider}/token',
      body: 'application/json',
      data: 'data',
    },
    listIdentities: { method: 'GET', path: '/api/v1/auth/identities', data: 'data' },
    createIdentityLink: {
      method: 'POST',
      path: '/api/v1/auth/identities/{provider}/link',
      body: 'application/json',
      data: 'data',
    },
    completeIdentityLink: {
      method: 'POST',
      path: '/api/v1/auth/identities/link/complete',
      body: 'application/json',
      data: 'data',
    },
  },
  authors: {
    list: { method: 'GET', path: '/api/authors', query: true, cursor: true },
    create: {
      method: 'POST',
      path: '/api/authors',
      body: 'application/json',
      data: 'data',
      idempotent: true,
    },
    get: { method: 'GET', path: '/api/authors/{id}', data: 'data' },
    replace: { method: 'PUT', path: '/api/authors/{id}', body: 'application/json', data: 'data' },
    patch: {
      method: 'PATCH',
      path: '/api/authors/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    delete: { method: 'DELETE', path: '/api/authors/{id}' },
  },
  posts: {
    list: { method: 'GET', path: '/api/posts', query: true, cursor: true },
    create: {
      method: 'POST',
      path: '/api/posts',
      body: 'application/json',
      data: 'data',
      idempotent: true,
    },
    get: { method: 'GET', path: '/api/posts/{id}', query: true, data: 'data' },
    replace: { method: 'PUT', path: '/api/posts/{id}', body: 'application/json', data: 'data' },
    patch: {
      method: 'PATCH',
      path: '/api/posts/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    delete: { method: 'DELETE', path: '/api/posts/{id}' },
  },
  comments: {
    list: { method: 'GET', path: '/api/posts/{postId}/comments', query: true, cursor: true },
    create: {
      method: 'POST',
      path: '/api/posts/{postId}/comments',
      body: 'application/json',
      data: 'data',
      idempotent: true,
    },
    get: { method: 'GET', path: '/api/posts/{postId}/comments/{id}', data: 'data' },
    replace: {
      method: 'PUT',
      path: '/api/posts/{postId}/comments/{id}',
      body: 'application/json',
      data: 'data',
    },
    patch: {
      method: 'PATCH',
      path: '/api/posts/{postId}/comments/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    delete: { method: 'DELETE', path: '/api/posts/{postId}/comments/{id}' },
  },
} as const satisfies Operations

/**
 * Creates a client of the API.
 * @param options - URL, session, retries and hooks
 * @returns the client
 */
export function createClient(options: ClientOptions): Client {
  return createApiClient<Client>(operations, options)
}
