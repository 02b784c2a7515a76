import { PARTS } from '#src/domain/remote_imports/base/source.ts';

/** The help page of a command. */
export interface ManualPage {
  /** Arguments after the command's name: `--username NAME [--admin]`. */
  usage: string;
  /** Short summary for the list of all commands. */
  summary: string;
  /** Descriptions of the options by option and value: `--name TEXT`. */
  options?: Readonly<Record<string, string>>;
  /** Further notes. */
  notes?: string;
}

const USERNAME = { '--username NAME': 'the user, whatever the case of the letters' };
const PROGRESS = { '--progress': 'show what is being done even where there is no terminal' };

/** The page of a command that imports from a kind of server. */
function importFrom(servers: string, usual: string | null): ManualPage {
  return {
    usage: `OWNER/NAME|'OWNER/*' --user USERNAME ${usual === null ? '--url URL' : '[--url URL]'} [--into GROUP] [--name TEXT] [--parts LIST | --without LIST] [--without-forks] [--no-wait] [--progress]`,
    summary: `import a project, or all of an owner, from ${servers}`,
    options: {
      '--user USERNAME': 'in whose name it is imported',
      '--into GROUP': 'the group that it is to be in, such as team; the user’s own projects if left out',
      '--name TEXT': 'the name of the project; as at the other server if left out',
      '--url URL': `the address of the other server${usual === null ? '' : `; ${usual} if left out`}`,
      '--parts LIST': `what comes along besides the repository, settings, labels and milestones, by names with commas between: ${PARTS.join(', ')}; all if left out`,
      '--without LIST': 'what of these does not come along',
      '--without-forks': 'leave out projects of the owner that are forks',
      '--no-wait': 'leave the import to the server, and come back at once',
      ...PROGRESS,
    },
    notes:
      'The token of the other server is read from the environment variable GANTRY_IMPORT_TOKEN, or else from the standard input. A server has to run, which fills the project. What does not come along is listed. Of an owner, each project gets a line that says how it ended; those with a path that is taken here are skipped, and the exit status is 1 if one failed.',
  };
}

/** The pages by command, in the order of `gantry help`. */
export const manual: Readonly<Record<string, ManualPage>> = {
  serve: {
    usage: '[--ephemeral [--port NUMBER] [--seed [--expose-known-tokens]] [--control]]',
    summary: 'run the server',
    options: {
      '--ephemeral': 'with a temporary data directory and a free port, for test suites; all is removed at the end',
      '--port NUMBER': 'of an ephemeral server: this port instead',
      '--seed': 'of an ephemeral server: filled with sample data, whose passwords and tokens are known to everybody',
      '--control':
        'of an ephemeral server: obey the standard input, where `reset` brings the first data back, and stop when it ends',
      '--expose-known-tokens': 'with --seed: answer other machines and web pages as well, as in a container',
    },
    notes: 'Stop it with Ctrl+C or SIGTERM.',
  },
  work: {
    usage: '[--queues NAMES] [--concurrency NUMBER] [--label TEXT …]',
    summary: 'run background jobs beside the server',
    options: {
      '--queues NAMES': 'only jobs of these queues, separated by commas; all if left out',
      '--concurrency NUMBER': 'how many jobs to run at once; 10 if left out',
      '--label TEXT': 'shown in the metrics of this process; may be repeated',
    },
    notes: 'It runs on the machine of the server, or on another one with the same database, files and secret.',
  },
  seed: {
    usage: '[--beside]',
    summary: 'fill a new server with sample data: people, groups, projects, issues, pipelines',
    options: { '--beside': 'even if the server is in use; names that the sample data needs must be free' },
    notes: 'Passwords and tokens are random, and printed.',
  },
  migrate: { usage: '', summary: 'bring the database up to date', notes: '`gantry serve` does that as well.' },
  'user create': {
    usage: '--username NAME --email ADDRESS --name "FULL NAME" [--admin] [--password TEXT]',
    summary: 'create a user',
    options: {
      '--username NAME': 'what the user signs in with',
      '--email ADDRESS': 'the primary e-mail address, which counts as confirmed',
      '--name "FULL NAME"': 'the name that others see',
      '--admin': 'as an administrator',
      '--password TEXT': 'generated and printed if left out',
    },
  },
  'user block': {
    usage: '--username NAME [--directory]',
    summary: 'lock a user out, at once',
    options: { ...USERNAME, '--directory': 'on behalf of a directory: administrators cannot undo it through the API' },
  },
  'user unblock': {
    usage: '--username NAME [--directory]',
    summary: 'let a blocked user in again',
    options: { ...USERNAME, '--directory': 'only if the user was blocked with --directory' },
  },
  'user reset-link': {
    usage: '--username NAME',
    summary: 'print a link for choosing a new password',
    options: USERNAME,
    notes: 'The link works once, for a day.',
  },
  'user disable-two-factor': {
    usage: '--username NAME',
    summary: 'turn off two-factor authentication of a user',
    options: USERNAME,
    notes: 'For users who have lost both the app and the recovery codes.',
  },
  'token create': {
    usage: '--user USERNAME --scopes SCOPES [--name TEXT] [--expires DATE]',
    summary: 'create a personal access token and print it',
    options: {
      '--user USERNAME': 'whose token it is',
      '--scopes SCOPES':
        'such as api, read_api, read_user, read_repository, write_repository or read_metrics; several are separated by commas',
      '--name TEXT': 'what it is for',
      '--expires DATE': 'the first day on which it no longer works, as YYYY-MM-DD',
    },
  },
  'token list': {
    usage: '--user USERNAME',
    summary: 'list the tokens of a user, without the tokens themselves',
    options: { '--user USERNAME': 'whose tokens' },
  },
  'token revoke': {
    usage: '--user USERNAME --id NUMBER',
    summary: 'revoke a token',
    options: { '--user USERNAME': 'whose token it is', '--id NUMBER': 'its ID, as `gantry token list` prints it' },
  },
  'jobs dead': { usage: '', summary: 'list the background jobs that failed too often' },
  'jobs retry': {
    usage: '--id ID | --all',
    summary: 'run such jobs again',
    options: { '--id ID': 'this job, as `gantry jobs dead` prints it', '--all': 'all of them' },
  },
  'mail-in': {
    usage: '',
    summary: 'receive the message on the standard input, as a mail server delivers it to a program',
    notes:
      'The exit status is 0 if the message was received, 65 if it was refused, and 69 or 75 if the mail server should try again later.',
  },
  'import archive': {
    usage: 'FILE --into PATH --user USERNAME [--name TEXT]',
    summary: 'import a project from an archive of Gantry or GitLab',
    options: {
      '--into PATH': 'where the project is to be, such as team/shop; without a group it is the user’s own',
      '--user USERNAME': 'in whose name it is imported; an administrator keeps the authors of issues and comments',
      '--name TEXT': 'the name of the project; the last part of its path if left out',
    },
    notes: 'A server has to run, which fills the project. What does not come along is listed.',
  },
  'import gitea': importFrom('Gitea or Forgejo', null),
  'import github': importFrom('GitHub or GitHub Enterprise Server', 'https://github.com'),
  'import gitlab': importFrom('GitLab or another Gantry', 'https://gitlab.com'),
  'import gitlab-group': {
    usage:
      'GROUP --user USERNAME [--url URL] [--into GROUP] [--path NAME] [--without-projects] [--without-members] [--no-wait] [--progress]',
    summary: 'import a group with its projects from a GitLab or Gantry',
    options: {
      '--user USERNAME': 'in whose name it is imported',
      '--url URL': 'the address of the other server; https://gitlab.com if left out',
      '--into GROUP': 'the group that it is to be in, such as team; at the top if left out',
      '--path NAME': 'the last part of its path; as at the other server if left out',
      '--without-projects': 'leave the projects of the groups out',
      '--without-members': 'leave members out',
      '--no-wait': 'leave the import to the server, and come back at once',
      ...PROGRESS,
    },
    notes:
      'The token of the other server is read from the environment variable GANTRY_IMPORT_TOKEN, or else from the standard input. A server has to run, which does the rest. What does not come along is listed. The exit status is 1 if everything failed.',
  },
  'import update': {
    usage: 'PROJECT --user USERNAME [--parts LIST] [--no-wait] [--progress]',
    summary: 'bring an imported project up to date from the server that it came from',
    options: {
      '--user USERNAME': 'in whose name it is updated: a master of the project',
      '--parts LIST':
        'what is taken besides what the import took, by names with commas between, such as packages,images',
      '--no-wait': 'leave the update to the server, and come back at once',
      '--progress': 'show what is being done even where there is no terminal',
    },
    notes:
      'The token of the other server is read from the environment variable GANTRY_IMPORT_TOKEN, or else from the standard input. A server has to run, which updates the project. What was not updated is listed.',
  },
  fsck: {
    usage: '[--project PATH] [--fix]',
    summary: 'check repositories and uploaded files against the database',
    options: {
      '--project PATH': 'only the project with this full path',
      '--fix': 'remove what is safe to remove: leftovers of processes that died',
    },
    notes: 'The exit status is 1 if something is wrong.',
  },
  doctor: {
    usage: '[--json]',
    summary: 'check everything that the server needs',
    options: { '--json': 'print JSON' },
    notes: 'The exit status is 1 if something is broken.',
  },
  backup: {
    usage: 'FILE|- [--since EARLIER] [--without-secret] [--force] [--progress]',
    summary: 'back up the server into a file, while it runs',
    options: {
      '--since EARLIER': 'leave out what this earlier backup, or what it builds on, has',
      '--without-secret': 'leave out the key of what is stored encrypted',
      '--force': 'replace FILE if it exists',
      ...PROGRESS,
    },
    notes:
      'The backup holds the database, repositories, uploads, packages, traces and artifacts of jobs, and the secret. - is the standard output.',
  },
  'backup verify': {
    usage: 'FILE [EARLIER …]',
    summary: 'compare a backup with its checksums',
    notes: 'EARLIER are the backups that it builds on, unless they lie beside it.',
  },
  restore: {
    usage: 'FILE|- [EARLIER …] [--progress]',
    summary: 'restore a backup into an empty data directory and database',
    options: PROGRESS,
    notes: '- is the standard input.',
  },
  upgrade: {
    usage: '[--from DIRECTORY] [--progress]',
    summary: 'move the embedded PostgreSQL to a new major version',
    options: {
      '--from DIRECTORY': 'where the programs of the old version are, if not in a usual place',
      ...PROGRESS,
    },
    notes: 'The server has to be stopped.',
  },
  'runner register': {
    usage: '--url URL --registration-token TOKEN [--tag TAG …] [--run-untagged] [--description TEXT] [--config FILE]',
    summary: 'register a runner of this machine with a server',
    options: {
      '--url URL': 'the server whose jobs it is to run',
      '--registration-token TOKEN': 'of the server or of a project; - reads it from the standard input',
      '--tag TAG': 'a tag of the runner; may be repeated',
      '--run-untagged': 'of a runner with tags: take jobs without tags as well',
      '--description TEXT': 'what people see of it; the name of the machine if left out',
      '--config FILE': 'where to keep its token; gantry-runner.json if left out',
    },
  },
  'runner run': {
    usage: '[--config FILE] [--directory DIRECTORY] [--concurrency NUMBER] [--once]',
    summary: 'run jobs of a server on this machine, in a shell',
    options: {
      '--config FILE': 'the file that `gantry runner register` wrote; gantry-runner.json if left out',
      '--directory DIRECTORY': 'for working copies and caches; beside the file if left out',
      '--concurrency NUMBER': 'how many jobs to run at once; 1 if left out',
      '--once': 'end as soon as no job is waiting and none runs',
    },
    notes:
      'Jobs run as the user who runs this command and can do whatever this user can: whoever pushes to the projects runs code\nhere. On SIGTERM or Ctrl+C it finishes its jobs; on the second one it stops them.',
  },
  'runner unregister': {
    usage: '[--config FILE]',
    summary: 'remove the runner of this machine from its server',
    options: { '--config FILE': 'the file that `gantry runner register` wrote; gantry-runner.json if left out' },
  },
  'keys rotate': {
    usage: '',
    summary: 'create new keys for signing ID tokens and cookies',
    notes: 'The old keys remain valid for two hours.',
  },
};
