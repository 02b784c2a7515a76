import { builder } from '#schema/builder.ts';
import { Viewer } from '#schema/users/types.ts';
import { BadRequest } from '#src/errors.ts';
import type { Account } from '#src/users/find.ts';
import { signIn } from '#src/users/sign_in.ts';

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who signs in. One of login and email is required.',
  fields: (t) => ({
    login: t.string({ description: 'Username or e-mail address.' }),
    email: t.string({ description: 'E-mail address or username, when there is no login.' }),
    password: t.string({ required: true, description: 'Their password.' }),
  }),
});

const SignInPayload = builder.objectRef<{ viewer: Account }>('SignInPayload').implement({
  description: 'Who signed in.',
  fields: (t) => ({
    viewer: t.expose('viewer', { type: Viewer, description: 'The account, with its private token.' }),
  }),
});

builder.mutationFields((t) => ({
  signIn: t.field({
    type: SignInPayload,
    description:
      'Exchanges username and password for the private token. Closed to users with two-factor authentication.',
    args: { input: t.arg({ type: SignInInput, required: true, description: 'Who signs in.' }) },
    resolve: async (_root, { input }, context) => {
      const login = input.login ?? input.email;
      if (login == null) throw new BadRequest('login, email are missing, at least one parameter must be provided');
      return { viewer: await signIn(context, login, input.password) };
    },
  }),
}));
