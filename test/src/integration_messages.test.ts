import { describe, expect, it } from 'vitest';
import type { EventPayload, Told } from '#src/domain/integrations/base/kind.ts';
import { discord, mattermost, slack, teams } from '#src/domain/integrations/chat/formats.ts';
import { messageOf } from '#src/domain/integrations/chat/message_of.ts';

const project: EventPayload['project'] = {
  id: 1,
  name: 'Ruby',
  namespace: 'Gems',
  web_url: 'https://gantry.example.org/gems/ruby',
  path_with_namespace: 'gems/ruby',
  default_branch: 'main',
};
const NONE = '0'.repeat(40);
const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
const commits = [
  { id: after, message: 'Fix <it>\n\nAll of it', url: 'https://gantry.example.org/c/b', author: { name: 'Bob' } },
];

/** The title and the lines of a message, in the words of Slack. */
function said(kind: Told['kind'], payload: Partial<EventPayload>): string | null {
  const message = messageOf({
    kind,
    settings: {},
    payload: { user: { name: 'Ada', username: 'ada' }, project, ...payload },
  });
  if (message === null) return null;
  const { text, attachments = [] } = slack(message, {}, null) as { text: string; attachments?: { text: string }[] };
  const links = /<([^|>]*)\|([^>]*)>/g;
  return [text, ...attachments.map((one) => one.text)].join('\n').replaceAll(links, '$2');
}

describe('What is said of', () => {
  it('pushes', () => {
    const push = { ref: 'refs/heads/main', before, after, commits, total_commits_count: 12 };
    expect(said('push', push)).toBe(
      'Ada pushed 12 commits to branch main of Gems / Ruby (compare)\n11 earlier commits\nbbbbbbbb: Fix &lt;it&gt; – Bob',
    );
    expect(said('push', { ...push, before: NONE, total_commits_count: 1 })).toBe(
      'Ada created branch main in Gems / Ruby\nbbbbbbbb: Fix &lt;it&gt; – Bob',
    );
    expect(said('push', { ...push, after: NONE })).toBe('Ada deleted branch main of Gems / Ruby');
    expect(said('tag_push', { ref: 'refs/tags/v1', before: NONE, after, commits: [] })).toBe(
      'Ada created tag v1 in Gems / Ruby',
    );
  });

  it('pipelines that have ended, with the jobs that failed', () => {
    const attributes = { id: 7, ref: 'main', tag: false, duration: 125 };
    const builds = [
      { name: 'rspec', stage: 'test', status: 'failed', allow_failure: false },
      { name: 'lint', stage: 'test', status: 'failed', allow_failure: true },
    ];
    expect(said('pipeline', { object_attributes: { ...attributes, status: 'running' } })).toBeNull();
    expect(said('pipeline', { object_attributes: { ...attributes, status: 'failed' }, builds })).toBe(
      'Pipeline #7 of branch main by Ada failed after 2 min 05 s in Gems / Ruby\nFailed job: rspec (test)',
    );
    expect(said('pipeline', { object_attributes: { ...attributes, status: 'success', duration: 9 } })).toBe(
      'Pipeline #7 of branch main by Ada passed after 9 s in Gems / Ruby',
    );
  });

  it('wiki pages, deployments, merge requests and comments', () => {
    const page = { title: 'Home', url: 'https://gantry.example.org/w', message: 'Say more' };
    expect(said('wiki_page', { object_attributes: { ...page, action: 'update' } })).toBe(
      'Ada edited the wiki page Home in Gems / Ruby\nSay more',
    );
    const deployment = { status: 'success', environment: 'production', deployable_url: 'https://x.example.org/j/1' };
    expect(said('deployment', deployment)).toBe('Deployment to production by Ada succeeded in Gems / Ruby');
    expect(said('deployment', { ...deployment, status: 'created' })).toBeNull();
    const request = { iid: 3, title: 'Add', url: 'https://gantry.example.org/m/3' };
    expect(said('merge_request', { object_attributes: { ...request, action: 'merge' } })).toBe(
      'Ada merged merge request !3 Add in Gems / Ruby',
    );
    expect(said('merge_request', { object_attributes: { ...request, action: 'update' } })).toBeNull();
    expect(
      said('note', { merge_request: request, object_attributes: { note: 'Nice', url: 'https://n.example.org' } }),
    ).toBe('Ada commented on merge request !3 Add in Gems / Ruby\nNice');
    expect(said('note', { merge_request: request, object_attributes: { action: 'update' } })).toBeNull();
  });
});

describe('Texts of users', () => {
  const message = {
    title: [{ text: 'a|b](x) <@U1> @here', url: 'https://x.example.org/a b|c)' }],
    lines: [['- item\n1. one\n{{DATE(now)}} *b* _i_ `c` ~~s~~ > q']],
    tone: 'bad',
  } as const;

  it('are no markup in any chat, and end no link', () => {
    expect(slack(message, {}, '#ops')).toEqual({
      channel: '#ops',
      text: '<https://x.example.org/a%20b%7Cc%29|a¦b](x) &lt;@U1&gt; @here>',
      attachments: [expect.objectContaining({ color: '#c62828', text: expect.stringContaining('~~s~~ &gt; q') })],
    });
    const title = '[a\\|b\\]\\(x\\) \\<@\u200bU1\\> @\u200bhere](https://x.example.org/a%20b%7Cc%29)';
    const line = '\\- item\n1\u200b. one\n\\{\\{DATE\\(now\\)\\}\\} \\*b\\* \\_i\\_ \\`c\\` \\~\\~s\\~\\~ \\> q';
    expect(mattermost(message, { username: 'bot' }, null)).toMatchObject({
      username: 'bot',
      text: title,
      attachments: [{ text: line }],
    });
    expect(discord(message, {}, null)).toMatchObject({
      embeds: [{ description: `${title}\n${line}` }],
      allowed_mentions: { parse: [] },
    });
    expect(teams(message, {}, null)).toMatchObject({
      attachments: [
        {
          content: {
            body: [
              { text: title, color: 'attention' },
              { text: line, wrap: true },
            ],
          },
        },
      ],
    });
  });

  it('are cut where they are long', () => {
    const long = 'x'.repeat(100_000);
    const told = {
      kind: 'issue',
      settings: {},
      payload: { project, object_attributes: { action: 'open', title: long, description: long, url: '' } },
    } as const;
    const short = messageOf(told as unknown as Told);
    expect(JSON.stringify(discord(short as never, {}, null)).length).toBeLessThan(2_000);
  });
});
