import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import {
  type ConfiguredProvider,
  configuredProviders,
  testProvider,
} from '#src/access/sign_in/providers/administer.ts';

const SignInProviderType = builder.enumType('SignInProviderType', {
  description: 'How a server knows the users of a provider.',
  values: {
    OPENID: { value: 'openid', description: 'By OpenID Connect, in the browser.' },
    LDAP: { value: 'ldap', description: 'By their password at a directory (LDAP).' },
  } as const,
});

const ConfiguredSignInProvider = builder.objectRef<ConfiguredProvider>('ConfiguredSignInProvider').implement({
  description: 'A provider of sign-in in the configuration of the server, without its secrets.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the provider in URLs, identities and settings.' }),
    label: t.exposeString('label', { description: 'What people read on the sign-in page.' }),
    type: t.expose('type', { type: SignInProviderType, description: 'How the provider is asked.' }),
    address: t.exposeString('address', { description: 'URL of the issuer, or of the directory.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'Whether the settings let people sign in with the provider.',
    }),
  }),
});

builder.queryField('configuredSignInProviders', (t) =>
  t.field({
    type: [ConfiguredSignInProvider],
    nullable: true,
    description: 'The providers of sign-in of the configuration, also those that are disabled. For administrators.',
    resolve: (_root, _args, context) => configuredProviders(context),
  }),
);

mutation('testSignInProvider', {
  description:
    'Asks a provider for its endpoints, or a directory for the place of its people, and says what is wrong. For administrators.',
  input: {
    description: 'Which provider of sign-in is asked.',
    argument: 'Names the provider that is asked.',
    fields: (t) => ({ name: t.string({ required: true, description: 'Name of the provider in the configuration.' }) }),
  },
  resolve: ({ name }, context) => testProvider(context, name),
  payload: {
    description: 'Whether a provider of sign-in answers as it should.',
    fields: (t) => ({
      succeeded: t.exposeBoolean('succeeded', { description: 'Whether people could sign in with it.' }),
      message: t.exposeString('message', { description: 'What was found, or what is wrong, in one line.' }),
    }),
  },
});
