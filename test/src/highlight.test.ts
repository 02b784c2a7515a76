import { describe, expect, it } from 'vitest';
import { highlightLines } from '#src/domain/repository/highlight/lines.ts';
import { symbolsIn } from '#src/domain/repository/highlight/symbols.ts';

/** A symbol as `depth kind name line`. */
const symbols = (name: string, text: string) =>
  highlightLines({ text, name }).symbols.map(({ depth, kind, name, line }) => `${depth} ${kind} ${name} ${line}`);

describe('The beginning of a long text', () => {
  const line = (n: number) =>
    n % 400 < 200 ? `export const value${n} = compute(${n}, 'text'); // ${n}` : `  in a \${template} ${n}`;
  // A text of several lines begins every 400 lines, and the beginning ends within one.
  const text = Array.from({ length: 5_000 }, (_, n) => {
    const mark = n % 400 === 200 ? 'x(`' : n % 400 === 399 ? '`);' : '';
    return mark + line(n);
  }).join('\n');

  it('has the colours that it has in the whole text, and tells how many lines there are', () => {
    const whole = highlightLines({ text, name: 'a.ts' });
    const part = highlightLines({ text, name: 'a.ts', isBeginning: true });
    expect(whole.lines).toHaveLength(5_000);
    expect(part.lines.length).toBeGreaterThan(900);
    expect(part.lines.length).toBeLessThan(1_100);
    expect(part.total).toBe(5_000);
    const shown = 850;
    expect(part.lines.slice(0, shown)).toEqual(whole.lines.slice(0, shown));
    expect(part.symbols).toEqual([]);
  });

  it('is all of a short text', () => {
    const part = highlightLines({ text: 'class A {}\n', name: 'a.ts', isBeginning: true });
    expect(part).toEqual(highlightLines({ text: 'class A {}\n', name: 'a.ts' }));
    expect(part.symbols).toEqual([{ name: 'A', kind: 'class', line: 1, depth: 0 }]);
  });
});

describe('The symbols of a file', () => {
  it('are those of its language, without comments and texts', () => {
    expect(
      symbols('a.py', 'class A:\n    """def no()"""\n    def f(self):\n        pass\nasync def g(): pass\n# def h()\n'),
    ).toEqual(['0 class A 1', '1 method f 3', '0 function g 5']);
    expect(
      symbols(
        'a.ts',
        '// function no() {}\nexport class A {\n  async b(x: number) {\n    if (x) {\n    }\n  }\n}\nexport const c = () => 1;\n',
      ),
    ).toEqual(['0 class A 2', '1 method b 3', '0 function c 8']);
    expect(
      symbols('b.js', "module.exports = function sort(a) {}\nexports.grade = (a) => a;\nconst x = require('y');\n"),
    ).toEqual(['0 function sort 1', '0 function grade 2']);
    expect(symbols('a.rs', 'impl<T> Show for Apple where T: Sized {\n  fn show() {}\n}\n')).toEqual([
      '0 class Show for Apple 1',
      '1 method show 2',
    ]);
    expect(symbols('a.go', 'package a\nfunc (s *S) M(x int) {}\nfunc F() {}\ntype T struct {}\n')).toEqual([
      '0 method M 2',
      '0 function F 3',
      '0 type T 4',
    ]);
    expect(
      symbols(
        'A.java',
        'public class A {\n  public static void main(String[] a) {\n    run(a);\n    return run(a);\n  }\n}\n',
      ),
    ).toEqual(['0 class A 1', '1 method main 2']);
    expect(symbols('a.rb', 'module A\n  class B\n    def c?\n    end\n  end\nend\n')).toEqual([
      '0 module A 1',
      '1 class B 2',
      '2 method c? 3',
    ]);
    expect(symbols('a.sql', 'CREATE TABLE x (a int); -- CREATE TABLE y\n')).toEqual(['0 type x 1']);
  });

  it('are the headings of Markdown by their levels, but not those in code', () => {
    expect(symbols('a.md', '# One\n```\n# no\n```\n## Two\n### Three\n# Four\n')).toEqual([
      '0 section One 1',
      '1 section Two 5',
      '2 section Three 6',
      '0 section Four 7',
    ]);
  });

  it('are none of a text without a language, and are read in time however long its lines are', () => {
    expect(symbols('a.txt', 'class A {}')).toEqual([]);
    // A pattern that tries every place of a run again would take minutes for any of them.
    const LONG = 400_000;
    const long = [
      'a '.repeat(LONG),
      '('.repeat(LONG),
      `impl<${' '.repeat(LONG)}`,
      `impl ${' '.repeat(LONG)}!`,
      `impl ${'a '.repeat(LONG)}!`,
      `const a = (${' '.repeat(LONG)}`,
      `${'a.'.repeat(LONG)}!`,
      `${'export '.repeat(LONG)}!`,
    ];
    for (const language of ['c', 'typescript', 'rust', 'java', 'markdown', 'sql']) {
      const names = symbolsIn(long, language).map(({ name }) => name.slice(0, 1));
      expect(names.filter((name) => name !== 'a')).toEqual([]);
    }
  });
});
