/** Somebody as a provider of identities describes them. */
export interface Person {
  /** Name of the provider. */
  provider: string;
  /** What identifies the person at the provider, for ever. */
  externUid: string;
  /** What the username can be made from. */
  username: string;
  name: string;
  email: string | null;
  /** Whether the address is known to be theirs. */
  emailConfirmed: boolean;
  /** The groups that the person is in at the provider. */
  groups: readonly string[];
}
