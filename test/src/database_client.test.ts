import { createServer } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { hostUrls } from '#src/platform/config/host_urls.ts';
import { DatabaseClient, openClient } from '#src/platform/database/client.ts';

describe('A URL of a database', () => {
  it('stands for one URL a host, with the same user, database and options', () => {
    expect(hostUrls('postgresql://me:p%2C%40@a:5432,b,[::1]:7/db?sslmode=require')).toEqual([
      'postgresql://me:p%2C%40@a:5432/db?sslmode=require',
      'postgresql://me:p%2C%40@b/db?sslmode=require',
      'postgresql://me:p%2C%40@[::1]:7/db?sslmode=require',
    ]);
    expect(hostUrls('postgresql://a/db')).toEqual(['postgresql://a/db']);
    expect(hostUrls('postgresql:///db?host=/run/a,b&user=me')).toEqual(['postgresql:///db?host=/run/a,b&user=me']);
  });
});

/** A URL whose first host refuses connections and whose second one is the PostgreSQL of the tests. */
async function twoHosts(): Promise<string> {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  await new Promise((resolve) => silent.close(resolve));
  const { url } = inject('testServer');
  const real = new URL(url);
  // The embedded PostgreSQL is reached by its socket: as a host that is a directory, percent-encoded.
  const host = real.searchParams.get('host');
  const second = host === null ? real.host : encodeURIComponent(host);
  const query = new URLSearchParams(real.searchParams);
  query.delete('host');
  return `postgresql://${real.username ? `${real.username}${real.password ? `:${real.password}` : ''}@` : ''}127.0.0.1:${port},${second}${real.pathname}?${query}`;
}

describe('A connection to several hosts', () => {
  it('is to the first that takes it, and the next ones go there at once', async () => {
    const url = await twoHosts();
    const client = await openClient({ connectionString: url });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    const next = new DatabaseClient({ connectionString: url });
    await next.connect();
    await next.end();
  });
});
