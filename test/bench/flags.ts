import { printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';
import { generateLoad } from './load.ts';
import { table } from './report.ts';

/** Milliseconds (p50 of one connection) that an answer to a client of feature flags may take. */
const TARGET = 5;
/** Flags of a project with few and with as many as it can have. */
const COUNTS = [10, 200];

/** Measures what clients of feature flags wait for: all flags, and 304. */
export async function measureFlags(print: (text: string) => void): Promise<void> {
  const own = scratchDirectory();
  const server = await startServer(settings(own.directory));
  const token = printed(server.output(), 'Private token') ?? '';
  const post = async (at: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', 'PRIVATE-TOKEN': token };
    const answer = await fetch(`${server.url}${at}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${at}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const rows: string[][] = [];
  try {
    for (const count of COUNTS) {
      const { id } = await post('/api/v4/projects', { name: `flags-${count}` });
      const scopes = [{ environment_scope: 'production' }, { environment_scope: 'review/*' }];
      const strategies = [
        { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '50', stickiness: 'userId' }, scopes },
        { name: 'userWithId', parameters: { userIds: '1,2,3' }, scopes },
      ];
      for (let n = 0; n < count; n += 1) {
        await post(`/api/v4/projects/${id}/feature_flags`, { name: `flag${n}`, strategies });
      }
      const query = `{ project(ref: "${id}") { featureFlagsClient { instanceId } } }`;
      const { instanceId } = (await post('/graphql', { query })).data.project.featureFlagsClient;
      const path = `/api/v4/feature_flags/unleash/${id}/client/features`;
      const headers = { 'UNLEASH-INSTANCEID': instanceId, 'UNLEASH-APPNAME': 'production' };
      const first = await fetch(`${server.url}${path}`, { headers });
      const size = (await first.arrayBuffer()).byteLength;
      const calls = {
        [`${count} flags (${size} bytes)`]: headers,
        [`${count} flags, 304`]: { ...headers, 'If-None-Match': first.headers.get('etag') ?? '' },
      };
      for (const [name, sent] of Object.entries(calls)) {
        const load = { url: server.url, call: () => ({ method: 'GET', path, headers: sent }) as const, connections: 1 };
        await generateLoad({ ...load, milliseconds: 500, count: 50 });
        const { p50, p99 } = await generateLoad({ ...load, milliseconds: 2_000, count: 500 });
        rows.push([name, p50.toFixed(1), p99.toFixed(1), p50 > TARGET ? '!' : '']);
      }
    }
    print(table(['clients of feature flags, one connection', 'p50', 'p99', ''], rows));
    print(`in ms; ! marks more than ${TARGET} ms`);
  } finally {
    await server.end('SIGTERM');
    own.remove();
  }
}
