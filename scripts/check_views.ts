import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Checks the types of the templates of pages. Each becomes a module of src/generated/views that runs the same code on the same lines,
 * with the helpers, the texts and `page` as the templates have them (`pages/engine/template_scope.ts`), and what it includes
 * as a call. A template declares what `it` holds in a comment at its beginning, as `@typedef {…} Values`; it may be null wherever the
 * graph says so, as rows do not show what they have not found.
 *
 * @param views folder of the templates
 * @param into folder below the root of the project where the modules are while they are checked
 * @returns what is wrong, as the lines of the templates
 */
export function faultsOfViews(views: string, into: string): string[] {
  rmSync(into, { recursive: true, force: true });
  for (const name of globSync('**/*.eta', { cwd: views })) {
    const file = path.join(into, name.replace(/\.eta$/, '.js'));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      file,
      moduleOf(
        name.replace(/\.eta$/, ''),
        readFileSync(path.join(views, name), 'utf8'),
        path.relative(path.dirname(file), root),
      ),
    );
  }
  const project = path.join(into, 'tsconfig.json');
  const extended = path.relative(into, path.join(root, 'tsconfig.json'));
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: false,
    noUncheckedIndexedAccess: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  writeFileSync(
    project,
    JSON.stringify({
      extends: extended,
      compilerOptions,
      include: ['.', path.join(extended, '../src/**/*.d.ts')],
      exclude: [],
    }),
  );
  const compiler = path.join(
    path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const args = [compiler, '--project', project, '--singleThreaded', '--pretty', 'false'];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: into, encoding: 'utf8' });
  rmSync(into, { recursive: true, force: true });
  if (status !== 0 && stdout === '') throw new Error('The compiler did not run');
  // What it says of other files is what they are not meant for: `npm run check` compiles them strictly.
  const lines = stdout.split('\n').filter((line) => /^\w/.test(line));
  return lines.map((line) => line.replace(/^([\w/]+)\.js\((\d+),(\d+)\)/, '$1.eta:$2'));
}

const root = path.dirname(import.meta.dirname);

/** A template as a module: what is outside of its tags is left out, but for its lines. */
function moduleOf(name: string, template: string, toRoot: string): string {
  const [declared = ''] = /^<%\s*\/\*\*[\s\S]*?\*\//.exec(template) ?? [];
  const isTyped = declared.includes('@typedef');
  const scope = `import { h, include, language, layout, markup, page, $raw, rich, $say, t } from '${toRoot}/pages/engine/template_scope.ts';`;
  const head = isTyped ? `${declared.slice(2)} ${scope}` : scope;
  const type = isTyped ? 'Values' : `import('${toRoot}/scripts/view_values.ts').ValuesOf<'${name}'>`;
  const open = `export default function (/** @type {${type}} */ it) {`;
  const rest = isTyped ? `<%${template.slice(declared.length)}` : template;
  let code = '';
  let from = 0;
  for (const { 0: tag, 1: kind = '', 2: inside = '', index } of rest.matchAll(TAG)) {
    code += linesOf(rest.slice(from, index)) + statementOf(kind, linked(inside));
    from = index + tag.length;
  }
  return `${head} ${open}${code}${linesOf(rest.slice(from))}\n}\n`;
}

const TAG =
  /<%[-_]?\s*([=~]?)((?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|(?!%>)[\s\S])*?)[-_]?%>/g;

function statementOf(kind: string, code: string): string {
  if (kind === '=') return `$say(${code});`;
  return kind === '~' ? `$raw(${code});` : `${code} `;
}

/** Includes as calls of the modules of what they include, which may be one of several. */
function linked(code: string): string {
  return code.replace(/\b(include|layout)\(([^,()]*)(\)?)/g, (_all, kind: string, name: string, end = '') => {
    const modules = name.replace(/'(\.[^']+)'/g, (_quoted, one: string) => `import('${one}.js')`);
    return `${kind}(${modules}${kind === 'layout' && end ? ', it)' : end}`;
  });
}

function linesOf(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1);
}

if (import.meta.main) {
  const faults = faultsOfViews(path.join(root, 'pages/views'), path.join(root, 'src/generated/views'));
  for (const fault of faults) process.stderr.write(`pages/views/${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
