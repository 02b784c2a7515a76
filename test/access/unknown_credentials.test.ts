import { describe, expect, it } from 'vitest';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { projectWithCommit } from '../support/ci.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

/** What everyone may read, asked for with credentials that are good for nothing. */
const world = await startWorld({ pagesHost: 'pages.example.test' });
const [owner, blocked] = [await world.user(), await world.user({ blocked: true })];
const { project } = await projectWithCommit(world, owner, { config: 'unit: {script: test}', visibility: 'public' });
const secret = await world.project({ owner });
const text = { title: 'a', fileName: 'a', content: 'a', visibility: 'public' } as const;
const snippet = await createSnippet(world.as(owner), { project: project.id, ...text });
const { id: jobId, token: jobToken } = await takenJob(world, owner, project);
const { token: goodJobToken } = await takenJob(world, owner, secret);
await endJob(world, jobId);
const revoked = await world.token(owner, ['read_api']);
await world.db.personalAccessToken.updateMany({ where: { userId: owner.id }, data: { revoked: true } });
const expired = await world.token(owner, ['read_api'], new Date('2001-01-01'));
const deploy = async () => {
  const values = { name: world.unique('deploy'), scopes: ['read_repository'] };
  return (await world.api(owner).post(`/projects/${project.id}/deploy_tokens`, values)).body;
};
const [goneDeploy, goodDeploy] = [await deploy(), await deploy()];
await world.api(owner).delete(`/projects/${project.id}/deploy_tokens/${goneDeploy.id}`);

const at = `/api/v4/projects/${project.id}`;
const PLACES = {
  'a record': at,
  'a list': '/api/v4/projects',
  'a raw file': `${at}/repository/files/%2Egitlab-ci%2Eyml/raw?ref=master`,
  'a package of npm': `${at}/packages/npm/none`,
  'a raw file of pages': `/${project.fullPath}/-/raw/master/.gitlab-ci.yml`,
  'a raw snippet': `/${project.fullPath}/-/snippets/${snippet.id}/raw`,
  'a feed': `/${project.fullPath}.atom`,
  GraphQL: `/graphql?query=${encodeURIComponent(`{ project(ref: ${project.id}) { name } }`)}`,
  git: `/${project.fullPath}.git/info/refs?service=git-upload-pack`,
} as const;
type Place = keyof typeof PLACES;

const Accept = 'application/graphql-response+json, */*';
const ask = async (place: Place, headers: Record<string, string>, query = '') => {
  const path = PLACES[place];
  const asked = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const { status } = await world.send('GET', asked, { headers: { Accept, ...headers } });
  return [place, status];
};
const EVERYWHERE = Object.keys(PLACES) as Place[];
const OF_REST: Place[] = ['a record', 'a list', 'a raw file', 'a package of npm'];

const BAD: [name: string, headers: Record<string, string>, query: string, places: Place[]][] = [
  ['an unknown private token', { 'PRIVATE-TOKEN': 'unknown' }, '', EVERYWHERE],
  ['a revoked token', { 'PRIVATE-TOKEN': revoked }, '', EVERYWHERE],
  ['an expired token as bearer', { Authorization: `Bearer ${expired}` }, '', EVERYWHERE],
  ['the private token of a blocked user', { 'PRIVATE-TOKEN': blocked.token }, '', EVERYWHERE],
  [
    'a private token in the query',
    {},
    'private_token=unknown',
    [...OF_REST, 'a raw file of pages', 'a raw snippet', 'a feed'] as Place[],
  ],
  [
    'an access token in the query',
    {},
    'access_token=unknown',
    [...OF_REST, 'a raw file of pages', 'a feed', 'GraphQL'] as Place[],
  ],
  ['the token of a job that has ended', { 'JOB-TOKEN': jobToken }, '', OF_REST],
  ['the same in the query', {}, `job_token=${jobToken}`, OF_REST],
  ['the same as bearer', { Authorization: `Bearer ${jobToken}` }, '', EVERYWHERE],
  ['a deploy token that was deleted', { 'Deploy-Token': goneDeploy.token }, '', OF_REST],
];

const ENOUGH: [name: string, headers: Record<string, string>][] = [
  ['a bearer token beside a private token', { 'PRIVATE-TOKEN': 'unknown', Authorization: `Bearer ${owner.token}` }],
  ['a private token beside the token of a job', { 'JOB-TOKEN': jobToken, 'PRIVATE-TOKEN': owner.token }],
  ['a private token beside a deploy token', { 'Deploy-Token': goneDeploy.token, 'PRIVATE-TOKEN': owner.token }],
  ['a deploy token beside a private token', { 'Deploy-Token': goodDeploy.token, 'PRIVATE-TOKEN': 'unknown' }],
  ['the token of a job of another project', { 'JOB-TOKEN': goodJobToken }],
];

describe('A credential that is good for nothing is 401 where everyone may read', () => {
  it('nobody needs one there', async () => {
    const found = await Promise.all(EVERYWHERE.map((place) => ask(place, {})));
    // There is no such package, which is for clients of npm to know.
    expect(found).toEqual(EVERYWHERE.map((place) => [place, place === 'a package of npm' ? 404 : 200]));
  });

  it.each(BAD)('%s', async (_name, headers, query, places) => {
    const found = await Promise.all(places.map((place) => ask(place, headers, query)));
    expect(found).toEqual(places.map((place) => [place, 401]));
  });
});

describe('One good credential is enough', () => {
  it.each(ENOUGH)('%s', async (_name, headers) => {
    expect(await ask('a record', headers)).toEqual(['a record', 200]);
  });
});
