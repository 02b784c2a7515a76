/** What people read about a setting. */
export interface SettingPage {
  /** What it sets, in Markdown for a cell of a table. */
  meaning: string;
  /** The default where it is no constant of the code, in Markdown; nothing if the setting is simply not set. */
  usual?: string;
  /** What it accepts, where the message of its parser does not say it. */
  accepts?: string;
}

/** Settings that belong together. */
export interface SettingGroup {
  title: string;
  settings: Readonly<Record<string, SettingPage>>;
  /** What follows the table, in Markdown. */
  notes?: string;
}

/** All settings of the environment; docs/configuration.md is made of them and of their parsers. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'The server',
    settings: {
      HOST: { meaning: 'address to listen on', usual: '127.0.0.1' },
      PORT: { meaning: 'port to listen on; 0 takes a free one', usual: '8080' },
      GANTRY_URL: {
        meaning: 'public URL of the server, with which links in pages, APIs and mail start',
        usual: 'the URL of each request',
      },
      GANTRY_PAGES_HOST: {
        meaning:
          'host below which the sites of projects are served, as `pages.example.net` ([pages-sites.md](pages-sites.md)); it is neither that of `GANTRY_URL`, nor below it or above it',
        usual: 'no sites',
        accepts: 'a host name, perhaps with a port',
      },
      GANTRY_DATA: { meaning: 'directory for all data', usual: './data' },
      GANTRY_SECRET: {
        meaning:
          'key of everything that is stored encrypted; keep it with the backups ([operating.md](operating.md#outages-and-restarts))',
        usual: 'generated into the data directory',
      },
      GANTRY_ROOT_PASSWORD: {
        meaning: 'password of the administrator `root`, used at the first start only; it is neither printed nor saved',
        usual: 'generated',
      },
      GANTRY_ROOT_TOKEN: {
        meaning: 'private token of `root`, used at the first start only; it is neither printed nor saved',
        usual: 'generated',
      },
      TRUST_PROXY: { meaning: 'proxies whose `X-Forwarded-*` headers are trusted', usual: 'none' },
      GANTRY_CLIENT_REGISTRATION: {
        meaning:
          'let clients of OAuth register themselves, as agents do ([oauth.md](oauth.md#clients-that-register-themselves))',
        usual: '`on`',
      },
      GANTRY_EXACT_TOTALS: {
        meaning:
          'count all records of long lists for REST; `off` leaves out `X-Total`, `X-Total-Pages` and the last page where there are more than 10,000 ([scaling.md](scaling.md#totals))',
        usual: '`on`',
      },
      GANTRY_COMPRESSION: {
        meaning:
          'compress responses of 1 KiB or more (Brotli, gzip) for clients that accept it; `off` leaves that to a proxy',
        usual: '`on`',
      },
      GANTRY_EXAMPLES: {
        meaning:
          'serve `/-/examples`, which shows every part of the pages to those who work on them, as `npm run dev` does',
        usual: '`off`',
      },
      LOG_LEVEL: {
        meaning: 'the lowest level that is written to the log ([operating.md](operating.md#logs))',
        usual: '`info`',
      },
    },
  },
  {
    title: 'The database',
    settings: {
      DATABASE_URL: {
        meaning:
          'a PostgreSQL of version 15 or later to use instead of the embedded one; with several hosts (`…@one:5432,two:5432/gantry`), the one that accepts writes. It needs the extension `pg_trgm`, which comes with PostgreSQL or in its `contrib` package; the owner of the database can create it',
        usual: 'the embedded PostgreSQL',
      },
      DATABASE_DIRECT_URL: {
        meaning: 'the database itself, if `DATABASE_URL` is a pooler ([scaling.md](scaling.md))',
      },
      DATABASE_READ_URL: {
        meaning: 'a standby of the database that reads may go to ([scaling.md](scaling.md#read-replicas))',
      },
      DATABASE_PREPARED_STATEMENTS: { meaning: '`off` for poolers that do not support them', usual: '`on`' },
    },
  },
  {
    title: 'Git over SSH',
    settings: {
      GANTRY_SSH_PORT: {
        meaning: 'port to listen on; `none` turns SSH off ([operating.md](operating.md#git-over-ssh))',
        usual: '2222',
        accepts: 'a port number between 0 and 65535; none',
      },
      GANTRY_SSH_LISTEN: { meaning: 'address to listen on', usual: '`HOST`' },
      GANTRY_SSH_HOST: {
        meaning:
          'what addresses of repositories name, as `git.example.com` or, where another port leads there, `git.example.com:22`',
        usual: 'host of `GANTRY_URL`',
      },
      GANTRY_SSH_HOST_KEYS: {
        meaning: 'directory of the host keys, which are generated into it',
        usual: '‹data›/ssh',
        accepts: 'a path',
      },
    },
  },
  {
    title: 'Where files are kept',
    settings: {
      GANTRY_STORAGES: {
        meaning:
          'directories for repositories, as `name=/path,name=/path`; the [application settings](settings.md) choose those for new projects',
        usual: 'default=‹data›/repositories',
        accepts: '`name=/path`, separated by commas',
      },
      GANTRY_UPLOADS: {
        meaning: 'directory for uploaded files, or a bucket: `s3://bucket/prefix`',
        usual: '‹data›/uploads',
        accepts: 'a path, or `s3://bucket/prefix`',
      },
      AWS_ENDPOINT_URL_S3: { meaning: 'of the bucket: URL of a store that is not of AWS', usual: 'AWS' },
      AWS_ENDPOINT_URL: { meaning: 'the same, where `AWS_ENDPOINT_URL_S3` is not set' },
      AWS_REGION: { meaning: 'of the bucket: its region', usual: 'us-east-1', accepts: 'text' },
      AWS_ACCESS_KEY_ID: {
        meaning: 'of the bucket: the key to sign requests with',
        usual: 'the role of the machine, container or service account',
        accepts: 'text',
      },
      AWS_SECRET_ACCESS_KEY: { meaning: 'the secret of `AWS_ACCESS_KEY_ID`', accepts: 'text' },
      AWS_SESSION_TOKEN: { meaning: 'the session of `AWS_ACCESS_KEY_ID`, if it is temporary', accepts: 'text' },
      GANTRY_MIN_FREE_BYTES: {
        meaning: 'free space required in the data directory and each storage for the server to be ready',
      },
    },
    notes:
      'Do not rename storages: the server does not start if a repository is in one that is missing from `GANTRY_STORAGES`.',
  },
  {
    title: 'Mail',
    settings: {
      SMTP_URL: {
        meaning:
          'mail server for links that confirm addresses and reset passwords, and for mail about issues, merge requests and pipelines ([operating.md](operating.md#mail)). Set `GANTRY_URL`, too: links start with it',
        usual: 'no mail; users are confirmed when they are created',
      },
      MAIL_FROM: {
        meaning: 'sender of all mail; set together with `SMTP_URL`',
        accepts: '`address`, or `Name <address>`',
      },
      GANTRY_MAIL_IN_ADDRESS: {
        meaning:
          'address at which replies to notifications and new issues arrive, with `%{key}` in the place of the key, as `incoming+%{key}@example.com` ([mail-in.md](mail-in.md))',
        usual: 'no mail is received',
        accepts: 'an address that has `%{key}` once, before the `@`',
      },
      GANTRY_MAIL_IN_IMAP: {
        meaning:
          'mailbox to which mail to that address is delivered; messages for Gantry are deleted from it once they are stored ([mail-in.md](mail-in.md#from-a-mailbox))',
        usual: 'mail is received by `gantry mail-in` only',
      },
    },
  },
  {
    title: 'Signing in',
    settings: {
      GANTRY_SIGN_IN_PROVIDERS: {
        meaning: 'file with the OpenID Connect and LDAP servers whose users can sign in ([sign_in.md](sign_in.md))',
        accepts: 'path of a JSON file',
      },
    },
  },
  {
    title: 'Connections to other servers',
    settings: {
      GANTRY_IMPORT_HOSTS: {
        meaning: 'private hosts that projects may be imported from, as `git.example.com,10.0.0.5:3000`',
        usual: 'public hosts only',
        accepts: 'host names or addresses, each alone or with a port, separated by commas',
      },
      GANTRY_IMPORT_MAX_BYTES: { meaning: 'size limit of an import' },
      GANTRY_WEBHOOK_HOSTS: {
        meaning: 'private hosts that webhooks may lead to, as `ci.internal,10.0.0.5:8080` ([webhooks.md](webhooks.md))',
        usual: 'public hosts only',
        accepts: 'host names or addresses, each alone or with a port, separated by commas',
      },
    },
    notes:
      'Imports (`import_url` of a new project) support http and https. They only connect to public addresses, whatever host names and\n' +
      'redirects say, and use no proxy; `GANTRY_IMPORT_HOSTS` lists exceptions, by host or by host and port.',
  },
  {
    title: 'Limits of repositories and files',
    settings: {
      GANTRY_MAX_INLINE_BYTES: { meaning: 'the largest file that comes as JSON; larger ones are streamed (raw)' },
      GANTRY_MAX_OBJECT_BYTES: { meaning: 'size limit of a file in a repository' },
      GANTRY_MAX_PUSH_BYTES: { meaning: 'size limit of a push' },
      GANTRY_REPOSITORY_QUOTA_BYTES: {
        meaning: 'size limit of a repository on disk; pushes, API changes and imports above it are refused',
        usual: 'no limit',
      },
      GANTRY_MAX_UNZIPPED_BYTES: { meaning: 'size limit of a compressed git request, after decompression' },
      GANTRY_MAX_ARCHIVE_BYTES: { meaning: 'size limit of the files in an archive, together' },
      GANTRY_MAX_TRACE_BYTES: { meaning: 'how much of a job’s log is kept ([runners.md](runners.md))' },
      GANTRY_MAX_ARTIFACTS_BYTES: { meaning: 'size limit of the artifacts of a job; 0 turns artifacts off' },
      GANTRY_MAX_PACKAGE_FILE_BYTES: { meaning: 'size limit of a file of a package; 0 turns publishing off' },
      GANTRY_MAX_LFS_OBJECT_BYTES: { meaning: 'size limit of an object of Git LFS; 0 turns uploading them off' },
      GANTRY_MAX_CONTAINER_BLOB_BYTES: {
        meaning: 'size limit of a layer of a container image; 0 turns pushing images off',
      },
      GANTRY_GIT_REQUESTS: {
        meaning:
          'concurrent requests of git clients: at most 30 % for one user or address, and 70 % for all anonymous callers',
      },
    },
  },
  {
    title: 'Limits of requests',
    settings: {
      GANTRY_MAX_SECONDS: { meaning: 'how long one REST or GraphQL operation can take' },
      GANTRY_MAX_STATEMENTS: { meaning: 'how many SQL statements it can use' },
      GANTRY_MAX_ROWS: { meaning: 'how many rows it can read' },
      GRAPHQL_MAX_DEPTH: { meaning: 'levels of fields of a GraphQL operation' },
      GRAPHQL_MAX_COST: { meaning: 'fields of an operation, each multiplied by the sizes of the lists around it' },
      GRAPHQL_MAX_ALIASES: { meaning: 'aliases of an operation' },
      GRAPHQL_MAX_SPREADS: { meaning: 'fragment spreads of an operation' },
      GRAPHQL_MAX_TOKENS: { meaning: 'lexical tokens of a document' },
      GRAPHQL_MAX_BATCH: { meaning: 'operations that one request can contain' },
      GRAPHQL_MAX_BYTES: { meaning: 'size of a request to `/graphql`, without files' },
      GRAPHQL_MAX_POINTS_PER_HOUR: {
        meaning:
          'points that a user can spend on `/graphql` in an hour, in each process of the server ([graphql.md](graphql.md#cost-and-limits))',
      },
      GRAPHQL_MAX_VISITOR_POINTS_PER_HOUR: { meaning: 'those of callers without an account, by network' },
      GRAPHQL_TRUSTED_DOCUMENTS: {
        meaning:
          'the only GraphQL documents to execute: a JSON file as written by relay-compiler, graphql-codegen or Apollo, or a directory of `.graphql` files ([graphql.md](graphql.md#persisted-documents))',
        usual: 'any document is executed',
        accepts: 'path of a file or directory',
      },
      GRAPHQL_MAX_SUBSCRIPTIONS: { meaning: 'concurrent GraphQL subscriptions of a server' },
      GRAPHQL_MAX_SUBSCRIPTIONS_PER_CALLER: { meaning: 'those of a user, or of an anonymous network' },
      GRAPHQL_MAX_SUBSCRIPTIONS_PER_CONNECTION: { meaning: 'those of a WebSocket' },
      GRAPHQL_MAX_SUBSCRIPTION_BUFFER_BYTES: {
        meaning: 'how much data may wait for a slow subscriber before the subscription ends',
      },
    },
    notes:
      'How many requests a user or a network may send is an [application setting](settings.md), which administrators change while the\nserver runs.',
  },
  {
    title: 'Background jobs',
    settings: {
      GANTRY_QUEUES: {
        meaning: 'queues of jobs that this process works on, as `mail.send,projects.import`, or `none`',
        usual: 'all',
        accepts: 'names of queues, separated by commas; none',
      },
      GANTRY_CONCURRENCY: { meaning: 'how many jobs it runs at once' },
    },
    notes:
      'Background jobs run in the server. `gantry work` runs them in separate processes, which can be on other machines with the same\n' +
      '`DATABASE_URL`, `GANTRY_SECRET`, storages and data directory (a shared file system); with `GANTRY_QUEUES=none` the server leaves all\n' +
      'jobs to them. After ten failed attempts, a job is set aside for `gantry jobs dead` and `gantry jobs retry`.',
  },
  {
    title: 'Stopping',
    settings: {
      GANTRY_DRAIN_SECONDS: {
        meaning:
          'how long the server keeps answering after SIGTERM, while `/-/readiness` is 503 ([operating.md](operating.md#outages-and-restarts))',
        usual: '5 behind a balancer, else 0',
      },
      GANTRY_GIT_GRACE_SECONDS: {
        meaning: 'how long clones and pushes can take to finish when the server stops; other requests have 10 s',
      },
    },
  },
  {
    title: 'Metrics and slow work',
    settings: {
      GANTRY_METRICS_ADDRESSES: {
        meaning:
          'addresses and networks that can read `/-/metrics` without a credential, as `127.0.0.1,10.0.0.0/8` ([operating.md](operating.md#metrics))',
        accepts: 'addresses and networks, separated by commas',
      },
      GANTRY_METRICS_PORT: { meaning: 'port for the metrics of `gantry work`' },
      GANTRY_SLOW_STATEMENT_MS: { meaning: 'duration from which SQL statements are logged as slow; 0 disables this' },
      GANTRY_SLOW_OPERATION_MS: { meaning: 'the same for GraphQL operations, including those behind REST routes' },
    },
    notes:
      'Traces are set up by the variables of OpenTelemetry, `OTEL_EXPORTER_OTLP_ENDPOINT` and others: [operating.md](operating.md#traces).',
  },
];
