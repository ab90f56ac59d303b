/**
 * Collects every message with which the service refuses a request from its sources: the messages of `new Problem(…)`,
 * `invalid(…)` and `notFound(…)`, and those that schemas define or get from `api/http/validation-message.ts`.
 *
 * A sentence is a template, with `{}` for each value that is only known at run time. Where the sources choose between
 * texts, by a condition, a table, a type of literals or the argument of a call, each text gives one template. Fields of
 * problems are not collected.
 */
import { join, relative } from "node:path";
import ts from "typescript";

/** A template, and its file and line. */
type Sentence = { template: string; place: string };

/** The maximum number of texts of one expression. With more, the expression counts as unknown. */
const choicesMax = 48;
const depthMax = 12;
const placeholder = "{}";
/** TABLE of zod's functions whose first parameter is a message; that of others is a bound, a format or a value. */
const takesMessageAlone = new Set([
  ...["string", "number", "boolean", "bigint", "date", "int", "nan", "null", "undefined", "symbol", "any", "unknown"],
  ...["email", "url", "uuid", "ipv4", "ipv6", "base64", "datetime", "nonempty", "positive", "negative"],
  ...["nonnegative", "nonpositive", "finite", "lowercase", "uppercase"],
]);
/** The path of the packages that declare zod's functions. */
const zodName = /\/(?:zod|@hono\/zod-openapi)\//;

/**
 * Collects the sentences in a folder. A message that could not be read is returned as `{}`, for the caller to check.
 */
export function collectSentences(folder: string): Sentence[] {
  const files = [...new Bun.Glob("**/*.ts").scanSync(folder)].filter((file) => !file.endsWith(".test.ts"));
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    {
      ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, strict: true, noEmit: true },
      ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, allowImportingTsExtensions: true, skipLibCheck: true },
      ...{ types: ["bun-types"], noUncheckedIndexedAccess: true },
    },
  );
  return new Collector(program, folder).collect();
}

type Called = ts.CallExpression | ts.NewExpression;

class Collector {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;
  /** Calls by the name of the called function. */
  readonly #calls = new Map<string, Called[]>();
  /** The names of zod's functions and methods. Resolving the calls of other names takes most of the checker's time. */
  readonly #zodNames = new Set<string>();
  readonly #found: Sentence[] = [];

  constructor(program: ts.Program, folder: string) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder;
  }

  collect(): Sentence[] {
    const files = this.#program.getSourceFiles();
    for (const file of files.filter(({ fileName }) => zodName.test(fileName))) this.#collectZodNames(file);
    const sources = files.filter(({ fileName }) => fileName.startsWith(this.#folder));
    for (const source of sources) this.#index(source);
    for (const source of sources) this.#visit(source);
    return this.#found;
  }

  #collectZodNames(node: ts.Node): void {
    const isDeclared =
      ts.isFunctionDeclaration(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isMethodSignature(node) ||
      ts.isPropertySignature(node);
    if (isDeclared && node.name !== undefined && ts.isIdentifier(node.name)) this.#zodNames.add(node.name.text);
    // Names such as "null" and "enum" are exported under another name than that of their declaration.
    if (ts.isExportSpecifier(node)) this.#zodNames.add(node.name.text);
    ts.forEachChild(node, (child) => this.#collectZodNames(child));
  }

  #index(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = nameOf(node.expression);
      const known = this.#calls.get(name);
      if (known === undefined) this.#calls.set(name, [node]);
      else known.push(node);
    }
    ts.forEachChild(node, (child) => this.#index(child));
  }

  #visit(node: ts.Node): void {
    // Examples of the reference are not messages.
    if (ts.isPropertyAssignment(node) && node.name.getText().endsWith("Example")) return;
    for (const message of this.#messagesIn(node)) {
      const { line } = node.getSourceFile().getLineAndCharacterOfPosition(message.getStart());
      const place = `${relative(this.#folder, node.getSourceFile().fileName)}:${line + 1}`;
      const read = product(this.#read(message, depthMax) ?? [placeholder], this.#hintsOf(message));
      for (const template of read) this.#found.push({ template, place });
    }
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  /** The expressions that are messages in a node. */
  #messagesIn(node: ts.Node): ts.Expression[] {
    if (ts.isFunctionDeclaration(node) && node.name?.text === "validationMessage") return returnsOf(node);
    // The message of a domain check, also of a successful one.
    if (ts.isObjectLiteralExpression(node) && propertyOf(node, "success") !== undefined) {
      return listed(propertyOf(node, "message")).filter((message) => this.#isText(message));
    }
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
    const name = nameOf(node.expression);
    const args = node.arguments ?? [];
    if (name === "invalid" || name === "Problem") {
      // The messages of invalid() are read at its calls.
      return enclosing(node)?.name?.getText() === "invalid" ? [] : args.slice(1, 2);
    }
    if (name !== "addIssue" && !this.#zodNames.has(name)) return [];
    const messages = args.flatMap((argument, index) => {
      if (ts.isObjectLiteralExpression(argument)) {
        return [...listed(propertyOf(argument, "message")), ...listed(propertyOf(argument, "error"))];
      }
      return index > 0 || takesMessageAlone.has(name) ? [argument] : [];
    });
    const texts = messages.filter((message) => ts.isArrowFunction(message) || this.#isText(message));
    return texts.length > 0 && (name === "addIssue" || this.#isOfSchema(node)) ? texts : [];
  }

  /** True if a call creates a schema, or adds a rule to one. */
  #isOfSchema(node: Called): boolean {
    if (["openapi", "literal", "describe", "meta"].includes(nameOf(node.expression))) return false;
    return zodName.test(this.#checker.getResolvedSignature(node)?.declaration?.getSourceFile().fileName ?? "");
  }

  /** The hint after the message. */
  #hintsOf(message: ts.Expression): string[] {
    const call = message.parent;
    if (!ts.isNewExpression(call) || nameOf(call.expression) !== "Problem") return [""];
    const [, , detail] = call.arguments ?? [];
    if (detail === undefined) return [""];
    return this.#objectsOf(detail).flatMap((object) => {
      const hint = propertyOf(object, "hint");
      return hint === undefined ? [""] : (this.#read(hint, depthMax) ?? [placeholder]).map((text) => ` ${text}`);
    });
  }

  #isText(node: ts.Expression): boolean {
    return (this.#checker.getTypeAtLocation(node).flags & ts.TypeFlags.StringLike) !== 0;
  }

  /** The templates that an expression can evaluate to; undefined if none is known. */
  #read(node: ts.Expression, depth: number): string[] | undefined {
    if (depth === 0) return undefined;
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (isUndefined(node)) return [];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return this.#read(node.expression, depth);
    if (ts.isTemplateExpression(node)) return this.#joined(node, depth);
    if (ts.isConditionalExpression(node)) return this.#either([node.whenTrue, node.whenFalse], depth);
    if (ts.isBinaryExpression(node)) return this.#readBinary(node, depth);
    if (ts.isIdentifier(node)) return this.#readName(node, depth);
    if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) {
      return this.#known(this.#entriesOf(node), depth);
    }
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return this.#read(node.body, depth - 1);
    const called = this.#calledBy(node);
    return called === undefined ? undefined : this.#either(returnsOf(called), depth);
  }

  #readBinary({ left, right, operatorToken }: ts.BinaryExpression, depth: number): string[] | undefined {
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
      return this.#either(ts.isStringLiteral(right) && right.text === "" ? [left] : [left, right], depth);
    }
    if (operatorToken.kind !== ts.SyntaxKind.PlusToken || !this.#isText(left)) return undefined;
    return product(this.#read(left, depth - 1) ?? [placeholder], this.#read(right, depth - 1) ?? [placeholder]);
  }

  #either(nodes: readonly ts.Expression[], depth: number): string[] | undefined {
    const all = [...new Set(nodes.flatMap((node) => this.#read(node, depth - 1) ?? [placeholder]))];
    return all.every((template) => template === placeholder) || all.length > choicesMax ? undefined : all;
  }

  #known(nodes: readonly ts.Expression[], depth: number): string[] | undefined {
    return nodes.length === 0 ? undefined : this.#either(nodes, depth);
  }

  #joined({ head, templateSpans }: ts.TemplateExpression, depth: number): string[] {
    return templateSpans.reduce(
      (before, { expression, literal }) =>
        product(product(before, this.#read(expression, depth - 1) ?? [placeholder]), [literal.text]),
      [head.text],
    );
  }

  #readName(node: ts.Identifier, depth: number): string[] | undefined {
    const declared = this.#declarationOf(node);
    if (declared === undefined) return undefined;
    if (ts.isVariableDeclaration(declared) && declared.initializer !== undefined) {
      return this.#read(declared.initializer, depth - 1);
    }
    if (ts.isBindingElement(declared) && ts.isVariableDeclaration(declared.parent.parent)) {
      const { initializer } = declared.parent.parent;
      const name = (declared.propertyName ?? declared.name).getText();
      return initializer === undefined ? undefined : this.#known(valuesIn(this.#objectsOf(initializer), name), depth);
    }
    return ts.isParameter(declared) ? this.#known(this.#argumentsFor(declared), depth) : undefined;
  }

  /** The arguments of all calls of a function in the sources. */
  #argumentsFor(parameter: ts.ParameterDeclaration): ts.Expression[] {
    const { parent } = parameter;
    if (!ts.isFunctionDeclaration(parent)) return [];
    const index = parent.parameters.indexOf(parameter);
    const calls = this.#calls.get(parent.name?.text ?? "") ?? [];
    return calls
      .filter((call) => this.#declarationOf(call.expression) === parent)
      .flatMap((call) => listed(call.arguments?.[index] ?? parameter.initializer));
  }

  #declarationOf(node: ts.Expression): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
    if (symbol === undefined) return undefined;
    const isImported = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isImported ? this.#checker.getAliasedSymbol(symbol) : symbol).valueDeclaration;
  }

  /** The values of a table that an access may return: one if the access names a property, else all. */
  #entriesOf(node: ts.ElementAccessExpression | ts.PropertyAccessExpression): ts.Expression[] {
    return valuesIn(this.#objectsOf(node.expression), ts.isPropertyAccessExpression(node) ? node.name.text : undefined);
  }

  /** The object literals that an expression can evaluate to. */
  #objectsOf(node: ts.Expression): ts.ObjectLiteralExpression[] {
    // A spread object may have any property.
    if (ts.isObjectLiteralExpression(node)) return node.properties.some(ts.isSpreadAssignment) ? [] : [node];
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return this.#objectsOf(node.expression);
    if (ts.isConditionalExpression(node))
      return [node.whenTrue, node.whenFalse].flatMap((each) => this.#objectsOf(each));
    if (ts.isElementAccessExpression(node)) return this.#entriesOf(node).flatMap((entry) => this.#objectsOf(entry));
    const called = this.#calledBy(node);
    if (called !== undefined) return returnsOf(called).flatMap((answer) => this.#objectsOf(answer));
    const declared = ts.isIdentifier(node) ? this.#declarationOf(node) : undefined;
    if (declared === undefined || !ts.isVariableDeclaration(declared)) return [];
    return listed(declared.initializer).flatMap((initializer) => this.#objectsOf(initializer));
  }

  /** The function declaration in the sources that an expression calls. */
  #calledBy(node: ts.Expression): ts.FunctionDeclaration | undefined {
    if (!ts.isCallExpression(node)) return undefined;
    const called = this.#declarationOf(node.expression);
    return called !== undefined && ts.isFunctionDeclaration(called) && called.body !== undefined ? called : undefined;
  }
}

function product(before: readonly string[], after: readonly string[]): string[] {
  if (before.length * after.length > choicesMax) return before.map((each) => each + placeholder);
  return before.flatMap((each) => after.map((next) => each + next));
}

function nameOf(node: ts.Expression): string {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isIdentifier(node) ? node.text : "";
}

function enclosing(node: ts.Node): ts.FunctionDeclaration | undefined {
  const found = ts.findAncestor(node, ts.isFunctionLike);
  return found !== undefined && ts.isFunctionDeclaration(found) ? found : undefined;
}

function isUndefined(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === "undefined";
}

function listed<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item];
}

/** The expression of a property; undefined without that property. */
function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  return valuesIn([object], name)[0];
}

/** The expressions of a property, or of all properties, in object literals. */
function valuesIn(objects: readonly ts.ObjectLiteralExpression[], name: string | undefined): ts.Expression[] {
  return objects
    .flatMap(({ properties }) => [...properties])
    .filter((property) => name === undefined || property.name?.getText() === name)
    .flatMap((property) => {
      if (ts.isPropertyAssignment(property)) return [property.initializer];
      return ts.isShorthandPropertyAssignment(property) ? [property.name] : [];
    });
}

/** The expressions that a function returns. */
function returnsOf(node: ts.FunctionDeclaration): ts.Expression[] {
  const found: ts.Expression[] = [];
  const look = (child: ts.Node): void => {
    if (ts.isFunctionLike(child)) return;
    if (ts.isReturnStatement(child) && child.expression !== undefined) found.push(child.expression);
    ts.forEachChild(child, look);
  };
  if (node.body !== undefined) ts.forEachChild(node.body, look);
  return found;
}
