import { profilePhase } from '#src/domain/remote_imports/base/profiles.ts';
import { idIn, objectOf, textIn } from '#src/domain/remote_imports/base/values.ts';

/** Reads the public address of mail and the name of each user who is named in what was fetched. */
export const GITHUB_PROFILES = profilePhase<string>({
  // Programs have no profiles. A page of profiles says nothing of that.
  keyOf: ({ username, is_bot: isBot }) => (isBot === false ? (username as string) : null),
  async read({ client, project }, login) {
    const root = project.api.replace(/\/repos\/.*$/, '');
    const { body } = await client.json(new URL(`${root}/users/${encodeURIComponent(login)}`));
    const given = objectOf(body, 'a user');
    const email = textIn(given, 'email', 254).trim() || null;
    const name = textIn(given, 'name', 255).trim() || login;
    return { kind: 'users', record: { id: idIn(given, 'id'), username: login, name, email } };
  },
});
