CREATE TABLE "variable_set_projects" (
	"variable_set_id" text NOT NULL,
	"project_id" text NOT NULL,
	CONSTRAINT "variable_set_projects_pk" PRIMARY KEY("variable_set_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "variable_set_variables" (
	"id" text NOT NULL,
	"variable_set_id" text NOT NULL,
	"key" text NOT NULL,
	"category" text NOT NULL,
	"value_sealed" "bytea" NOT NULL,
	"is_hcl" boolean NOT NULL,
	"is_sensitive" boolean NOT NULL,
	"description" text NOT NULL,
	"version_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "variable_set_variables_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "variable_set_workspaces" (
	"variable_set_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	CONSTRAINT "variable_set_workspaces_pk" PRIMARY KEY("variable_set_id","workspace_id")
);
--> statement-breakpoint
CREATE TABLE "variable_sets" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"is_global" boolean NOT NULL,
	"is_priority" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "variable_sets_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "variable_set_projects" ADD CONSTRAINT "variable_set_projects_set_fk" FOREIGN KEY ("variable_set_id") REFERENCES "public"."variable_sets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_set_projects" ADD CONSTRAINT "variable_set_projects_project_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_set_variables" ADD CONSTRAINT "variable_set_variables_set_fk" FOREIGN KEY ("variable_set_id") REFERENCES "public"."variable_sets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_set_workspaces" ADD CONSTRAINT "variable_set_workspaces_set_fk" FOREIGN KEY ("variable_set_id") REFERENCES "public"."variable_sets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_set_workspaces" ADD CONSTRAINT "variable_set_workspaces_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_sets" ADD CONSTRAINT "variable_sets_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable_sets" ADD CONSTRAINT "variable_sets_project_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "variable_set_projects_project_idx" ON "variable_set_projects" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "variable_set_variables_key" ON "variable_set_variables" USING btree ("variable_set_id","key","category");--> statement-breakpoint
CREATE INDEX "variable_set_workspaces_workspace_idx" ON "variable_set_workspaces" USING btree ("workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "variable_sets_name_key" ON "variable_sets" USING btree ("owner_id","name");--> statement-breakpoint
CREATE INDEX "variable_sets_organization_idx" ON "variable_sets" USING btree ("organization_id","name");