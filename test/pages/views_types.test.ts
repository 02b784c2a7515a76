// One part in depth, which the long run has.
// @module-tag long
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { faultsOfViews } from '../../scripts/check_views.ts';
import { LONG } from '../support/long.ts';

/** What is wrong with these templates, by their names. */
function faultsOf(templates: Readonly<Record<string, string>>): string[] {
  mkdirSync(packagePath('src/generated'), { recursive: true });
  const folder = mkdtempSync(packagePath('src/generated/views-of-a-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const views = path.join(folder, 'templates');
  for (const [name, template] of Object.entries(templates)) {
    mkdirSync(path.dirname(path.join(views, name)), { recursive: true });
    writeFileSync(path.join(views, name), template);
  }
  return faultsOfViews(views, path.join(folder, 'modules'));
}

describe('The check of templates', () => {
  it(
    'finds a value that no row shows by its new name, what an include lacks and what a text is not given, at their lines',
    LONG,
    () => {
      const faults = faultsOf({
        'commits/list.eta': `<% const { days } = it; %>
<p><%= days.length %></p>
<p><%= it.dayz.length %></p>
<%~ include('./part', { name: 'a' }) %>
<%~ include('./part', { named: 'a' }) %>
<p><%= t('Commits of {path}', { path: it.ref }) %></p>
<p><%= t('Commits of {path}', { ref: it.ref }) %></p>
<%~ include('./part') %>`,
        'commits/part.eta': '<% /** @typedef {{ name: string }} Values */ %>\n<p><%= it.name %></p>',
      });
      expect(faults.map((fault) => /^[^:]+:\d+/.exec(fault)?.[0])).toEqual([
        'commits/list.eta:3',
        'commits/list.eta:5',
        'commits/list.eta:7',
        'commits/list.eta:8',
      ]);
      expect(faults[0]).toContain("Property 'dayz' does not exist");
    },
  );
});
