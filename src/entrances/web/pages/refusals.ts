import { label, type Texts } from '#src/platform/texts/texts.ts';

/** What forms are refused with, as the domain says it. Those that are not here are shown in English. */
export const SENTENCES = [
  label("can't be blank"),
  label("can't be empty"),
  label('is missing'),
  label('is invalid'),
  label('is not valid'),
  label('is wrong'),
  label('is wrong, or the username is'),
  label('is wrong, or was used before'),
  label('is wrong, too old, or was used before'),
  label('is wrong, was used, or has expired. Ask the device for a new one'),
  label('is in an invalid format'),
  label('has an invalid format'),
  label('is ambiguous'),
  label('does not exist'),
  label('has already been taken'),
  label('already exists in source'),
  label('is not included in the list'),
  label('is not a branch of the repository'),
  label('is not a branch or tag'),
  label('is not a commit'),
  label('is not a correct duration'),
  label('is not a milestone of the project'),
  label('is not a time zone'),
  label('is not a user who can read the project'),
  label('is not a valid emoji name'),
  label('is not an email you own'),
  label('is not from an allowed domain.'),
  label('is not the title of a milestone of the project'),
  label('domain is not authorized for sign-up'),
  label('is the project itself or one of its forks'),
  label('is kept in the directory, and is changed there'),
  label('has users who cannot read the project'),
  label('is too large (maximum is {count} KB)'),
  label('is too large (maximum is {count} seconds)'),
  label('is too long (maximum is {count} bytes)'),
  label('is too long (maximum is {count} characters)'),
  label('is too long (maximum is {count} tags)'),
  label('is too short (minimum is {count} characters)'),
  label('are larger than {count} characters'),
  label('are too many (maximum is {count})'),
  label('exceeds the limit of {count} protections in a project'),
  label('has a tag that is too long (maximum is {count} characters)'),
  label('has more than {count} values'),
  label('has too many addresses (maximum is {count})'),
  label('has too many entries (maximum is {count})'),
  label('has too many names (maximum is {count})'),
  label('has too many tags (maximum is {count})'),
  label('has too many users (maximum is {count})'),
  label('can only be set on a group without a parent'),
  label("can contain only letters, digits and '_'."),
  label("can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."),
  label("can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"),
  label("can contain only letters, digits, '_', '-', '+', and '.'"),
  label("can contain only letters, digits, '_', '.', dash and space."),
  label(
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.",
  ),
  label('can not be empty when runner is not allowed to pick untagged jobs'),
  label('cannot be a date in the past'),
  label('cannot contain a fragment.'),
  label('cannot contain credentials.'),
  label('is forbidden by the server.'),
  label('must be an absolute URI.'),
  label('must be a valid color code'),
  label('must be a valid URL'),
  label('must be a URL that begins with http:// or https://'),
  label('must be at most {most}'),
  label('must be between {least} and {most}'),
  label('must be from 0 to {most}'),
  label('must be greater than 0'),
  label('must be greater than or equal to 0'),
  label('must be in the future'),
  label('must be the path of a file in the repository that ends in .yml or .yaml'),
  label('must differ from the current one'),
  label('needs to be at least 10 minutes'),
  label('{name} is a reserved name'),
  label('{name} has already been taken'),
  label('Passwords do not match'),
  label('You are not allowed to do this.'),
  label('The credentials are missing or invalid.'),
  label('The username, email address or password is incorrect.'),
  label('You could not be signed in.'),
  label('Your sign-in has expired, or began in another browser. Start again.'),
  label('You were not signed in with {provider}.'),
  label('{provider} did not say who you are. Start again.'),
  label('That account at {provider} is connected to another account here'),
  label('Your account is connected to another one at {provider}. Disconnect that first'),
  label('This is the only way to sign in to your account. Choose a password first, with the link for a forgotten one'),
  label('Your account is blocked'),
  label('Confirm your e-mail address first: follow the link that was sent to it'),
  label('Signing in with a password is disabled'),
  label('Sign-up is disabled'),
  label('Sign-up is disabled. Ask your administrator for an account.'),
  label('Only administrators can register applications on this server'),
  label('Two-factor authentication is enabled already'),
  label('Two-factor authentication is not enabled'),
  label('This application is public: it has no secret'),
  label('This server does not send mail. Ask your administrator'),
  label('Username has already been taken'),
  label('Email has already been taken'),
  label('Name or path has already been taken'),
  label('A group cannot be shared with itself'),
  label('A rebase of the merge request is in progress'),
  label('A suggestion is not applicable: it changes nothing'),
  label('A suggestion is not applicable: it was applied already'),
  label('A suggestion is not applicable: its lines have changed'),
  label('A suggestion is not applicable: the file is gone, or too large'),
  label('Suggestions are not applicable: they change the same lines'),
  label('Suggestions must all be on the same merge request'),
  label('A board can have at most {count} lists'),
  label('A release has at most {count} links'),
  label('Branch already exists'),
  label('Branch cannot be merged'),
  label('Branch name is invalid'),
  label('Cannot move issue due to insufficient permissions!'),
  label('Cannot move issue to project it originates from!'),
  label('Cannot push to source branch'),
  label('Failed to promote project label to group label'),
  label('Issue(s) already assigned'),
  label('Job is not erasable!'),
  label('Job is not retryable'),
  label('Job is not running'),
  label('Label already exists'),
  label('Member already exists'),
  label('Merge request is not mergeable'),
  label('No such branch'),
  label('No such tag'),
  label('Only a manual or delayed job that has not started can be played'),
  label('Personal project creation is not allowed. Please contact your administrator with questions'),
  label('Project already forked'),
  label('Protected branch cant be removed'),
  label('Release already exists'),
  label('Release does not exist'),
  label('Search query is less than {count} characters'),
  label('Some commits of the source branch are missing'),
  label('Source branch does not exist'),
  label('Tag does not exist'),
  label('Tag name invalid'),
  label('Tag {name} already exists'),
  label('Target {name} is invalid'),
  label('The branch was changed meanwhile'),
  label('The draft notes were published or changed meanwhile'),
  label('The merge request is merged'),
  label('The merge request is not open'),
  label('The merge request is not waiting for its pipeline'),
  label('The source branch has moved. Try again.'),
  label('The target branch of a merged merge request cannot be changed'),
  label('The project cannot be forked before its import is finished'),
  label('There is no user {name}'),
  label('Unable to schedule pipeline run immediately'),
  label('You are not allowed to merge into this branch'),
  label('You can not use same project/branch for source and target'),
  label('You cannot vote on what you wrote yourself'),
  label('Your project limit is {count} projects! Please contact your administrator to increase it'),
  label('the target branch does not exist'),
  label('The page may have moved, or you may need to sign in to see it.'),
  label('Too many attempts. Try again later.'),
  label('Too many requests at once. Try again later.'),
  label('Two-factor authentication is required: sign in on the web to set it up'),
  label('Your account waits for the approval of an administrator'),
  label('Another program is changing this branch or tag. Try again soon.'),
  label('The database is busy. Try again soon.'),
  label('The database is not available. Try again soon.'),
  label('The server has too little memory. Try again soon.'),
  label('The server has too many files open. Try again soon.'),
  label('The server’s storage is read-only at the moment. Try again later.'),
  label('The store of uploaded files is not available. Try again later.'),
  label('There is no space left on the server’s disk. Try again later.'),
  label('The server is busy. Try again later.'),
  label('The server is busy. Try again soon.'),
];

/** A sentence of the table with what finds its places in a message. */
interface Pattern {
  sentence: string;
  matches: RegExp;
}

const fixed = new Set<string>(SENTENCES.filter((sentence) => !sentence.includes('{')));

const patterns: Pattern[] = SENTENCES.filter((sentence) => sentence.includes('{')).map((sentence) => ({
  sentence,
  matches: new RegExp(
    `^${sentence.replace(/[.*+?^$()[\]\\|/]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.{1,100})')}$`,
  ),
}));

/** What a form or page was refused with, in the reader's language; several messages of one field are joined by commas. */
export function refusalIn(texts: Texts, message: string): string {
  if (texts.language === 'en') return message;
  const whole = known(texts, message);
  if (whole !== null) return whole;
  const parts = message.split(', ').map((part) => known(texts, part));
  return parts.every((part) => part !== null) ? parts.join(', ') : message;
}

/** The problems of a form, in the reader's language. */
export function refusalsIn<Problems extends Readonly<Record<string, unknown>>>(texts: Texts, problems: Problems) {
  return Object.fromEntries(
    Object.entries(problems).map(([field, message]) => [
      field,
      typeof message === 'string' ? refusalIn(texts, message) : message,
    ]),
  );
}

function known({ t }: Texts, message: string): string | null {
  if (fixed.has(message)) return t(message);
  for (const { sentence, matches } of patterns) {
    const places = matches.exec(message)?.groups;
    if (places) return t(sentence, places);
  }
  return null;
}
