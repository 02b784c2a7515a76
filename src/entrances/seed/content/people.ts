import { createTokenFromCommandLine } from '#src/access/credentials/tokens/create.ts';
import { registerApplication } from '#src/domain/applications/save.ts';
import type { Profile } from '#src/domain/users/attributes.ts';
import { blockFromCommandLine } from '#src/domain/users/block.ts';
import { createUserFromCommandLine } from '#src/domain/users/bootstrap.ts';
import { createEmail } from '#src/domain/users/emails/save.ts';
import { createKey } from '#src/domain/users/keys/save.ts';
import type { Scene, Stage } from '#src/entrances/seed/stage.ts';

export interface Person extends Profile {
  username: string;
  name: string;
  email: string;
  /** Time zone of the commits, in minutes east of UTC. */
  offset: number;
  secondEmail?: string;
  external?: boolean;
  /** Scopes of the personal access tokens, one token per entry. */
  tokens?: readonly string[];
}

/** All people in the sample data except the administrator, in the order of their IDs. */
export const PEOPLE: readonly Person[] = [
  {
    username: 'ada',
    name: 'Ada Marsh',
    email: 'ada@example.com',
    secondEmail: 'ada.marsh@example.com',
    offset: 0,
    bio: 'Grows apples and writes software, in that order.',
    location: 'Bristol',
    organization: 'Orchard',
    websiteUrl: 'https://ada.example.com',
    tokens: ['api', 'read_user'],
  },
  { username: 'ben', name: 'Ben Okafor', email: 'ben@example.com', offset: 60, location: 'Lagos', tokens: ['api'] },
  { username: 'chloe', name: 'Chloé Lindqvist', email: 'chloe@example.com', offset: 120, location: 'Malmö' },
  { username: 'devika', name: 'Devika Rao', email: 'devika@example.com', offset: 330, location: 'Pune' },
  { username: 'emil', name: 'Emil Novák', email: 'emil@example.com', offset: 60 },
  { username: 'fern', name: 'Fern Castillo', email: 'fern@example.com', offset: -300, bio: 'Likes to look around.' },
  { username: 'gus', name: 'Gus Iversen', email: 'gus@partner.example.org', offset: 60, external: true },
  { username: 'hugo', name: 'Hugo Blanc', email: 'hugo@example.com', offset: 60 },
];

/** A public key whose private key does not exist. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGgaT18X6CyMFEA3e0J2jix6aFyzwBC0+jG3Rj4ZmRvr ada@laptop';

/** People sign up with their credentials; one of them leaves again. */
export const peopleScenes: readonly Scene[] = [
  ...PEOPLE.map((person, index) => ({
    at: `2025-01-06 08:${String(index).padStart(2, '0')}`,
    play: (stage: Stage) => join(stage, person),
  })),
  {
    at: '2025-01-06 08:30',
    async play(stage) {
      const ada = await stage.as('ada');
      await createKey(ada, { title: 'Laptop', key: KEY });
    },
  },
  { at: '2025-01-07 09:00', play: registerBarn },
  {
    at: '2025-05-30 16:00',
    play: ({ stores }) => blockFromCommandLine(stores.db, { username: 'hugo', directory: false }),
  },
];

async function join(stage: Stage, { offset: _, tokens = [], secondEmail, ...values }: Person): Promise<void> {
  const { stores, secrets } = stage;
  const { username } = values;
  const password = secrets.password(username);
  const privateToken = secrets.privateToken(username);
  const passwordHash = await stage.passwordHash(password);
  const credentials = { password, passwordHash, privateToken };
  const { id } = await createUserFromCommandLine(stores.db, stores.secret, { ...values, ...credentials });
  stage.users.set(username, id);
  const { id: namespace } = await stores.db.namespace.findUniqueOrThrow({ where: { ownerId: id } });
  stage.namespaces.set(username, namespace);
  if (secondEmail) await createEmail(await stage.as(username), { email: secondEmail });
  for (const scope of tokens) {
    const token = secrets.accessToken(username, scope);
    await createTokenFromCommandLine(stores.db, { user: username, name: `For ${scope}`, scopes: [scope], token });
  }
}

async function registerBarn(stage: Stage): Promise<void> {
  const values = {
    name: 'Barn',
    redirectUris: ['http://localhost:3000/callback', 'http://127.0.0.1:3000/callback'],
    scopes: ['api', 'read_user', 'openid', 'profile', 'email'],
    confidential: true,
  };
  await registerApplication(await stage.as('ada'), values, stage.secrets.application());
}
