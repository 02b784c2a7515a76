import { profilePhase } from '#src/domain/remote_imports/base/profiles.ts';
import { idIn, objectOf, textIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { emailIn } from '#src/domain/remote_imports/gitlab/values.ts';

/** Reads the address of mail of each user who is named in what was fetched, if the token may know it, or the user shows it. */
export const GITLAB_PROFILES = profilePhase<number>({
  // The ghost of an import is nobody there.
  keyOf: ({ id }) => ((id as number) < 2 ** 31 ? (id as number) : null),
  async read({ client, project }, id) {
    const root = project.api.replace(/\/projects\/\d+$/, '');
    const { body } = await client.json(new URL(`${root}/users/${id}`));
    const given = objectOf(body, 'a user');
    const username = titleIn(given, 'username');
    const name = textIn(given, 'name', 255).trim() || username;
    return { kind: 'users', record: { id: idIn(given, 'id'), username, name, email: emailIn(given) } };
  },
});
