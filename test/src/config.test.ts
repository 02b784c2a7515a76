import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '#src/platform/config/config.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'gantry-config-'));
afterAll(() => rmSync(directory, { recursive: true }));
const load = (env: Record<string, string>) => loadConfig(env, directory);

describe('The configuration', () => {
  it('has defaults for everything about repositories', () => {
    const { storages, importHosts, importMaxBytes, maxInlineBytes } = load({});
    expect(storages).toEqual({ default: path.join(directory, 'data/repositories') });
    expect([importHosts, importMaxBytes, maxInlineBytes]).toEqual([[], undefined, undefined]);
  });

  it('names storages, of which the default one is always there', () => {
    expect(load({ GANTRY_DATA: '/d', GANTRY_STORAGES: 'fast=/f, slow = rel/ative' }).storages).toEqual({
      default: '/d/repositories',
      fast: '/f',
      slow: path.join(directory, 'rel/ative'),
    });
    expect(load({ GANTRY_STORAGES: 'default=/elsewhere' }).storages).toEqual({ default: '/elsewhere' });
  });

  it('takes mail at an address with a key, and from a mailbox that is reached by TLS or is on this machine', () => {
    const GANTRY_MAIL_IN_ADDRESS = 'incoming+%{key}@example.com';
    expect(load({}).mailIn).toBeUndefined();
    expect(load({ GANTRY_MAIL_IN_ADDRESS }).mailIn).toEqual({ address: GANTRY_MAIL_IN_ADDRESS });
    expect(load({ GANTRY_MAIL_IN_ADDRESS: '%{key}@in.example.com' }).mailIn?.address).toBe('%{key}@in.example.com');
    for (const GANTRY_MAIL_IN_IMAP of ['imaps://me:p%40ss@mail.example.com/INBOX', 'imap://me:pass@127.0.0.1:143']) {
      const { mailIn } = load({ GANTRY_MAIL_IN_ADDRESS, GANTRY_MAIL_IN_IMAP });
      expect(mailIn).toEqual({ address: GANTRY_MAIL_IN_ADDRESS, imapUrl: GANTRY_MAIL_IN_IMAP });
      expect(() => load({ GANTRY_MAIL_IN_IMAP })).toThrow('GANTRY_MAIL_IN_ADDRESS: is missing beside');
    }
    for (const GANTRY_MAIL_IN_IMAP of ['imap://me:hidden@mail.example.com', 'imaps://mail.example.com', 'hidden']) {
      const read = () => load({ GANTRY_MAIL_IN_ADDRESS, GANTRY_MAIL_IN_IMAP });
      expect(read).toThrow('GANTRY_MAIL_IN_IMAP: not a URL of the form');
      expect(read).not.toThrow('hidden');
    }
  });

  it('keeps uploads in a directory or in a bucket', () => {
    expect(load({ GANTRY_DATA: '/d' }).uploads).toEqual({ directory: '/d/uploads' });
    expect(load({ GANTRY_UPLOADS: '/shared/uploads' }).uploads).toEqual({ directory: '/shared/uploads' });
    expect(load({ GANTRY_UPLOADS: 's3://our-files' }).uploads).toEqual({
      bucket: 'our-files',
      prefix: '',
      region: 'us-east-1',
    });
    const own = {
      GANTRY_UPLOADS: 's3://our-files/team/one/',
      AWS_ENDPOINT_URL_S3: 'http://store:9000',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'me',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
    expect(load(own).uploads).toEqual({
      bucket: 'our-files',
      prefix: 'team/one/',
      endpoint: 'http://store:9000',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'me', secretAccessKey: 'secret' },
    });
    expect(() => load({ GANTRY_UPLOADS: 's3://our-files', AWS_ACCESS_KEY_ID: 'me' })).toThrow(
      'AWS_SECRET_ACCESS_KEY: is missing',
    );
  });

  it('does not look at what other tools are told of a bucket while there is none', () => {
    const uploads = { directory: path.resolve('/somewhere', 'data/uploads') };
    const others: Record<string, string>[] = [{ AWS_ACCESS_KEY_ID: 'me' }, { AWS_ENDPOINT_URL: 'not a URL' }];
    for (const other of others) {
      expect(Object.values(load(other).uploads)).toHaveLength(1);
      expect(load({ ...other, GANTRY_UPLOADS: uploads.directory }).uploads).toEqual(uploads);
    }
  });

  it('has several hosts of a database, and one that no pooler stands before', () => {
    const databaseUrl = 'postgresql://me:secret@one:5432,two:5433/gantry';
    const databaseDirectUrl = 'postgresql://me:secret@one/gantry';
    expect(load({ DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: databaseDirectUrl })).toMatchObject({
      databaseUrl,
      databaseDirectUrl,
      preparedStatements: true,
    });
    expect(load({ DATABASE_PREPARED_STATEMENTS: 'off' }).preparedStatements).toBe(false);
    expect(() => load({ DATABASE_DIRECT_URL: databaseDirectUrl })).toThrow('DATABASE_URL: is missing');
    const DATABASE_READ_URL = 'postgresql://me:secret@copy/gantry';
    expect(load({ DATABASE_URL: databaseUrl, DATABASE_READ_URL }).databaseReadUrl).toBe(DATABASE_READ_URL);
    expect(() => load({ DATABASE_READ_URL })).toThrow('DATABASE_URL: is missing beside DATABASE_READ_URL');
    expect(() => load({ DATABASE_URL: databaseUrl, DATABASE_READ_URL: databaseUrl })).toThrow('names several hosts');
  });

  it('names the hosts of imports as URLs spell them, with or without a port', () => {
    const GANTRY_IMPORT_HOSTS = 'Git.Example.com, 10.0.0.5:3000,[FD00::1]:80,[::1], 127.1,straße.example.';
    expect(load({ GANTRY_IMPORT_HOSTS }).importHosts).toEqual([
      'git.example.com',
      '10.0.0.5:3000',
      '[fd00::1]:80',
      '[::1]',
      '127.0.0.1',
      'xn--strae-oqa.example',
    ]);
  });

  it('has limits in bytes', () => {
    const { importMaxBytes, maxInlineBytes } = load({ GANTRY_IMPORT_MAX_BYTES: '5', GANTRY_MAX_INLINE_BYTES: '7' });
    expect([importMaxBytes, maxInlineBytes]).toEqual([5, 7]);
    const { repositoryLimits, gitRequests } = load({
      GANTRY_MAX_OBJECT_BYTES: '1',
      GANTRY_MAX_PUSH_BYTES: '2',
      GANTRY_MAX_UNZIPPED_BYTES: '3',
      GANTRY_MAX_ARCHIVE_BYTES: '4',
      GANTRY_REPOSITORY_QUOTA_BYTES: '5',
      GANTRY_GIT_REQUESTS: '6',
      GANTRY_MAX_TRACE_BYTES: '7',
      GANTRY_MAX_ARTIFACTS_BYTES: '0',
      GANTRY_MAX_PACKAGE_FILE_BYTES: '8',
      GANTRY_MAX_LFS_OBJECT_BYTES: '9',
      GANTRY_MAX_CONTAINER_BLOB_BYTES: '10',
    });
    const limits = { objectBytes: 1, pushBytes: 2, unzippedBytes: 3, archiveBytes: 4, quotaBytes: 5 };
    expect([repositoryLimits, gitRequests]).toEqual([
      { ...limits, traceBytes: 7, artifactsBytes: 0, packageFileBytes: 8, lfsObjectBytes: 9, containerBlobBytes: 10 },
      6,
    ]);
    expect(load({}).repositoryLimits).toEqual({});
  });

  it('has answers compressed, unless it is switched off', () => {
    expect(load({}).compression).toBe(true);
    expect(load({ GANTRY_COMPRESSION: 'off' }).compression).toBe(false);
  });

  it('has what is measured, for whom and from when on', () => {
    const { metricsAddresses, metricsPort, slow } = load({
      GANTRY_METRICS_ADDRESSES: '127.0.0.1, 10.0.0.0/8,fd00::/8',
      GANTRY_METRICS_PORT: '9100',
      GANTRY_SLOW_STATEMENT_MS: '0',
      GANTRY_SLOW_OPERATION_MS: '3000',
    });
    expect(metricsAddresses).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
    expect([metricsPort, slow]).toEqual([9100, { statement: 0, operation: 3000 }]);
    const usual = load({});
    expect([usual.metricsAddresses, usual.metricsPort, usual.slow]).toEqual([[], undefined, {}]);
  });

  it.each([
    ['GANTRY_STORAGES', 'fast'],
    ['GANTRY_UPLOADS', 's3://'],
    ['GANTRY_UPLOADS', 's3://b/pre fix'],
    ['GANTRY_UPLOADS', 'http://bucket/'],
    ['DATABASE_URL', 'postgresql://one,,two/db'],
    ['DATABASE_URL', 'postgresql://one:port,two/db'],
    ['DATABASE_PREPARED_STATEMENTS', 'maybe'],
    ['GANTRY_STORAGES', '=/f'],
    ['GANTRY_STORAGES', 'fast='],
    ['GANTRY_STORAGES', 'a/b=/f'],
    ['GANTRY_STORAGES', 'fast=/f,'],
    ['GANTRY_STORAGES', 'fast=/f,fast=/g'],
    ['GANTRY_STORAGES', 'fast=/f,slow=/x/../f'],
    ['GANTRY_STORAGES', 'fast=data/repositories'],
    ['GANTRY_MAX_OBJECT_BYTES', '0'],
    ['GANTRY_MAX_TRACE_BYTES', '0'],
    ['GANTRY_MAX_ARTIFACTS_BYTES', '1 GB'],
    ['GANTRY_MAX_PACKAGE_FILE_BYTES', '-1'],
    ['GANTRY_MAX_LFS_OBJECT_BYTES', '-1'],
    ['GANTRY_MAX_CONTAINER_BLOB_BYTES', '-1'],
    ['GANTRY_REPOSITORY_QUOTA_BYTES', '1 GB'],
    ['GANTRY_GIT_REQUESTS', 'many'],
    ['GANTRY_COMPRESSION', 'brotli'],
    ['GANTRY_MAIL_IN_ADDRESS', 'incoming@example.com'],
    ['GANTRY_MAIL_IN_ADDRESS', '%{key}+%{key}@example.com'],
    ['GANTRY_MAIL_IN_ADDRESS', 'incoming@%{key}.example.com'],
    ['GANTRY_MAIL_IN_ADDRESS', 'fifteen-letters+%{key}@example.com'],
    ['GANTRY_IMPORT_HOSTS', 'http://host'],
    ['GANTRY_IMPORT_HOSTS', 'user@host'],
    ['GANTRY_IMPORT_HOSTS', 'host/path'],
    ['GANTRY_IMPORT_HOSTS', 'host:port'],
    ['GANTRY_IMPORT_HOSTS', 'host:99999'],
    ['GANTRY_IMPORT_HOSTS', '::1'],
    ['GANTRY_IMPORT_HOSTS', 'a,,b'],
    ['GANTRY_IMPORT_HOSTS', '*'],
    ['GANTRY_IMPORT_MAX_BYTES', '0'],
    ['GANTRY_IMPORT_MAX_BYTES', '5G'],
    ['GANTRY_MAX_INLINE_BYTES', '-1'],
    ['GANTRY_MAX_INLINE_BYTES', '1e9'],
    ['GANTRY_MAX_INLINE_BYTES', '268435457'],
    ['GANTRY_METRICS_ADDRESSES', 'everybody'],
    ['GANTRY_METRICS_ADDRESSES', '10.0.0.0/33'],
    ['GANTRY_METRICS_ADDRESSES', '127.0.0.1,'],
    ['GANTRY_METRICS_PORT', '70000'],
    ['GANTRY_SLOW_STATEMENT_MS', '-1'],
    ['GANTRY_SLOW_OPERATION_MS', '2s'],
  ])('refuses %s=%s and says which setting is wrong', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(ConfigError);
    expect(() => load({ [name]: value })).toThrow(new RegExp(`\\n {2}${name}: `));
  });

  it('warns of names that are no settings, with the one that was probably meant', () => {
    const { warnings } = load({
      GANTRY_PORT: '80',
      GANTRY_PORTT: '80',
      GANTRY_DATABASE_URL: 'postgresql://me:secret@h/d',
      GANTRY_STORAGE: '/x',
      GRAPHQL_MAX_DEPHT: '5',
      GANTRY_NONSENSE_OF_ALL_KINDS: '1',
      GANTRY_DATA: '/d',
      OTHER: '1',
    });
    const ignored = 'is not a setting of Gantry and is ignored.';
    expect(warnings).toEqual([
      `GANTRY_PORT ${ignored} Did you mean PORT?`,
      `GANTRY_PORTT ${ignored} Did you mean PORT?`,
      `GANTRY_DATABASE_URL ${ignored} Did you mean DATABASE_URL?`,
      `GANTRY_STORAGE ${ignored} Did you mean GANTRY_STORAGES?`,
      `GRAPHQL_MAX_DEPHT ${ignored} Did you mean GRAPHQL_MAX_DEPTH?`,
      `GANTRY_NONSENSE_OF_ALL_KINDS ${ignored}`,
    ]);
    expect(() => load({ GANTRY_PORT: '80', PORT: 'x' })).toThrow(/PORT: "x".*\n.*GANTRY_PORT is not a setting/);
  });

  it('does not warn of the variables that Kubernetes sets beside a service called gantry', () => {
    const set = {
      GANTRY_SERVICE_HOST: '10.0.0.1',
      GANTRY_SERVICE_PORT_HTTP: '80',
      GANTRY_PORT: 'tcp://10.0.0.1:80',
      GANTRY_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    expect(load(set).warnings).toEqual([]);
  });

  it('reads .env too, over which the environment wins', () => {
    writeFileSync(path.join(directory, '.env'), 'GANTRY_IMPORT_HOSTS=one\nGANTRY_MAX_INLINE_BYTES=9\n');
    const { importHosts, maxInlineBytes } = load({ GANTRY_IMPORT_HOSTS: 'two' });
    expect([importHosts, maxInlineBytes]).toEqual([['two'], 9]);
    rmSync(path.join(directory, '.env'));
  });
});
