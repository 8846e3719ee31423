// Stand-ins for the providers hashicorp/null and hashicorp/random: enough for test fixtures that want
// resources which plan and apply without doing anything.  One program, which serves the provider that its
// file name says (terraform-provider-NAME_vVERSION).  Written for these tests; see ../README.md.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	pschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	rschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var providers = map[string]standIn{
	"null":   {name: "null", resources: nullResources, dataSources: nullDataSources},
	"random": {name: "random", resources: randomResources},
}

func main() {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(os.Args[0]), "terraform-provider-"), "_v")
	p, ok := providers[name]
	if !ok {
		log.Fatalf("%s: the file name has to begin with terraform-provider-null_v or terraform-provider-random_v", os.Args[0])
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return p },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/" + name, ProtocolVersion: 5})
	if err != nil {
		log.Fatal(err)
	}
}

// ---- a provider without configuration ----

type standIn struct {
	name        string
	resources   []func() resource.Resource
	dataSources []func() datasource.DataSource
}

func (p standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = p.name
}

func (standIn) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = pschema.Schema{}
}

func (standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p standIn) Resources(context.Context) []func() resource.Resource { return p.resources }

func (p standIn) DataSources(context.Context) []func() datasource.DataSource { return p.dataSources }

// ---- a resource that exists in the state alone: values are made at creation, every change replaces it ----

type stateOnly[M any] struct {
	name    string
	version int64 // of the schema, as in the original's state files
	attrs   map[string]rschema.Attribute
	create  func(*M) error // fills in what is computed
}

func newResource[M any](r stateOnly[M]) func() resource.Resource {
	return func() resource.Resource { return r }
}

func (r stateOnly[M]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r stateOnly[M]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = rschema.Schema{Version: r.version, Attributes: r.attrs}
}

func (r stateOnly[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.create(&m); err != nil {
		resp.Diagnostics.AddError("Cannot create "+r.name, err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// Read keeps the state: there is nothing outside to compare it with.
func (stateOnly[M]) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update is never needed (every change replaces), but has to exist.
func (stateOnly[M]) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete leaves the removal from the state to the framework.
func (stateOnly[M]) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// made is an attribute that Create fills in and nothing changes afterwards.
func made(description string) rschema.StringAttribute {
	return rschema.StringAttribute{
		Description:   description,
		Computed:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// triggers is a map of any strings whose change replaces the resource.
func triggers() rschema.MapAttribute {
	return rschema.MapAttribute{
		Description:   "Any strings; a change replaces the resource.",
		ElementType:   types.StringType,
		Optional:      true,
		PlanModifiers: []planmodifier.Map{mapplanmodifier.RequiresReplace()},
	}
}
