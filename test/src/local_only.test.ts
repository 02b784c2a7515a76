import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLocal, isLoopback } from '#src/entrances/web/local_only.ts';

describe('This machine', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '', '10.0.0.1', 'localhost.example.com', '127.0.0.1.example.com', 'notlocalhost', '[::]'])(
    'is not "%s"',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('A request', () => {
  const from = (host: string | undefined, origin?: string) => isLocal({ headers: { host, origin } } as IncomingMessage);

  it('is local by its host, with or without a port', () => {
    expect([from('127.0.0.1'), from('localhost:8080'), from('[::1]:8080')]).toEqual([true, true, true]);
    expect([from(undefined), from('example.com:8080'), from('localhost@example.com')]).toEqual([false, false, false]);
  });

  it('is not local if a page of another site sends it', () => {
    expect(from('localhost:8080', 'http://localhost:3000')).toBe(true);
    expect(from('localhost:8080', 'https://example.com')).toBe(false);
    expect(from('localhost:8080', 'https://localhost.example.com')).toBe(false);
    expect(from('localhost:8080', 'null')).toBe(false);
  });
});
