import { describe, expect, it } from 'vitest';
import { ProgramFailed, RefLocked } from '#src/git/base/errors.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { createLogger } from '#src/platform/observability/log.ts';
import { reporter } from '#src/platform/observability/report.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

const system = (code: string, more: object = {}) => Object.assign(new Error(`${code}: it failed`), { code, ...more });
const prisma = (code: string, meta?: Record<string, unknown>) =>
  new Prisma.PrismaClientKnownRequestError('failed', { code, clientVersion: '', ...(meta ? { meta } : {}) });
const driver = (originalCode: string) => ({ driverAdapterError: { cause: { originalCode, originalMessage: 'said' } } });

describe('A cause that passes', () => {
  it.each([
    ['database', new DatabaseUnavailable('The database is away.', { sent: true })],
    ['database', { ...new DatabaseUnavailable('', { sent: true }), message: 'copied (Queue: mail.send)' }],
    ['database', prisma('P2010', driver('57P01'))],
    ['database', prisma('P1001')],
    ['database', new Error('Connection terminated unexpectedly')],
    ['database', system('25006')],
    ['busy', new DatabaseUnavailable('All connections to the database are in use.', { sent: false })],
    ['busy', prisma('P2037', driver('53300'))],
    ['busy', prisma('P2034', driver('40P01'))],
    ['busy', prisma('P2028')],
    ['disk', system('ENOSPC')],
    ['disk', new Error('cannot write', { cause: system('EDQUOT') })],
    ['disk', prisma('P2039', driver('53100'))],
    ['disk', new ProgramFailed('git index-pack ended with 128: fatal: write error: No space left on device')],
    ['read-only', system('EROFS')],
    ['read-only', system('EACCES', { path: '/srv/repositories/01/1.git' })],
    ['descriptors', system('EMFILE')],
    ['descriptors', new AggregateError([system('ENOENT'), system('ENFILE')])],
    ['descriptors', new ProgramFailed('git cannot be run: spawn git EMFILE')],
    ['refs', new RefLocked('refs/heads/main')],
    ['memory', new ProgramFailed('git cannot be run: spawn git EAGAIN')],
  ])('is known as %s, however it is wrapped: %s', (kind, error) => {
    const found = transientFailure(error);
    expect(found?.kind).toBe(kind);
    expect(found?.refusal.code).toBe('UNAVAILABLE');
    expect(found?.refusal.extensions.retryAfter).toBeGreaterThan(0);
  });

  it.each([
    new Error('a mistake'),
    new TypeError('undefined is not a function'),
    system('ENOENT', { path: '/srv' }),
    system('EACCES', { syscall: 'connect', address: '10.0.0.1' }),
    prisma('P2002'),
    new ProgramFailed('git fsck ended with 1: missing blob'),
    null,
    'No space left on device',
  ])('is no mistake: %s', (error) => {
    expect(transientFailure(error)).toBeNull();
  });

  it('is told in the log once in a while, by what it is and without a stack; mistakes are told each', () => {
    const lines: { what: string; message: string }[] = [];
    const log = createLogger('silent');
    log.warn = ((_: object, message: string) => lines.push({ what: 'warn', message })) as never;
    log.error = ((_: object, message: string) => lines.push({ what: 'error', message })) as never;
    const report = reporter(log, 'unexpected error');
    for (let count = 0; count < 100; count += 1) report(system('ENOSPC'));
    for (let count = 0; count < 100; count += 1) report(system('EMFILE'));
    for (let count = 0; count < 3; count += 1) report(new Error('a mistake'));
    expect(lines).toEqual([
      { what: 'warn', message: 'unexpected error: ENOSPC: it failed' },
      { what: 'warn', message: 'unexpected error: EMFILE: it failed' },
      ...Array(3).fill({ what: 'error', message: 'unexpected error' }),
    ]);
  });
});
